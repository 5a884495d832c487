import { quietIterator, quietly, deferred } from "../../../base/index.ts";
import type { AppendOptions, FleetLog, FleetValues, LoggedEntry, ReadOptions } from "../engine.ts";
import { closedError, fenced, isFleetError } from "../errors.ts";
import { type NatsContext, retried } from "./context.ts";
import { publishOnce, fenceOf, packText, unpackText } from "./publish.ts";
import type { StoredMsg } from "@nats-io/jetstream";
import { pause } from "../engine-parts.ts";

/**
 * The logs of all sessions in one stream, with a subject for each session: a stream of its own would be a
 * group of servers of its own. The position of an entry is its sequence in the stream.
 */
export function natsLog(context: NatsContext, values: FleetValues): FleetLog {
  return {
    append: (session, text, options) =>
      quietly(() => append(context, values, session, text, options)),
    last: (session) => quietly(() => lastOf(context, session)),
    read: (session, options) => quietIterator(read(context, values, session, options ?? {})),
    remove: (session) => quietly(() => remove(context, session)),
  };
}

async function append(
  context: NatsContext,
  values: FleetValues,
  session: string,
  text: string,
  { fence, after }: AppendOptions,
): Promise<number> {
  const { names } = context;
  const subject = names.eventSubject(session);
  const packed = await packText(context, values, text, fence);
  const published = await publishOnce(context, { stream: names.events, subject, after, ...packed });
  if (published.kind === "conflict") throw fenced(session);
  return published.sequence;
}

function lastOf(context: NatsContext, session: string): Promise<number> {
  const { manager, names } = context;
  return retried(context, `read from ${names.events}`, async () => {
    const subject = names.eventSubject(session);
    const last = await manager.streams.getMessage(names.events, { last_by_subj: subject });
    return { value: last?.seq ?? 0 };
  });
}

async function* read(
  context: NatsContext,
  values: FleetValues,
  session: string,
  options: ReadOptions,
): AsyncGenerator<LoggedEntry, undefined> {
  const { names, closed } = context;
  const { after = 0, follow = false, signal } = options;
  if (closed.aborted) throw closedError("the engine");
  const last = follow ? Number.POSITIVE_INFINITY : await lastOf(context, session);
  const messages = followSubject(context, {
    stream: names.events,
    subject: names.eventSubject(session),
    after,
    last,
    signal: signal ? AbortSignal.any([closed, signal]) : closed,
  });
  for await (const message of messages) {
    const text = await unpackText(values, message);
    const at = message.time.getTime();
    yield { position: message.seq, fence: fenceOf(message), at, text };
  }
  return undefined;
}

async function remove(context: NatsContext, session: string): Promise<void> {
  const { manager, names } = context;
  await retried(context, `remove from ${names.events}`, async () => ({
    value: await manager.streams.purge(names.events, { filter: names.eventSubject(session) }),
  }));
}

/** The part of a stream to read. */
export interface FollowOptions {
  readonly stream: string;
  readonly subject: string;
  /** The sequence after which to start. */
  readonly after: number;
  /** The sequence of the last message to read. */
  readonly last: number;
  /** Ends the reading when aborted. */
  readonly signal: AbortSignal;
}

/** The first and the longest time before a message that was announced is asked for again. */
const FIRST_WAIT_MS = 1;
const LONGEST_WAIT_MS = 100;
/** When a reader asks although no message was announced: announcements are lost with a connection. */
const POLL_MS = 1000;

/**
 * Reads the messages of a subject in order, each once, and waits for those that are not there yet, until
 * `last`. Each is a request of its own, which any replica answers. A consumer would be quicker for a long
 * subject, but after the death of one of three servers, nats-server 2.9.10 places every third consumer on
 * the dead one, and leaves existing ones there.
 */
async function* followSubject(
  context: NatsContext,
  options: FollowOptions,
): AsyncGenerator<StoredMsg, undefined> {
  const { subject, last, signal } = options;
  const isFollowing = !Number.isFinite(last);
  const announced = isFollowing ? announcements(context, subject, signal) : undefined;
  let position = options.after;
  let waitMs = FIRST_WAIT_MS;
  try {
    while (!signal.aborted && position < last) {
      const message = await next(context, options, position).catch((error: unknown) => {
        // A reader that follows has time: the servers may be back later.
        if (signal.aborted || (isFollowing && isFleetError(error, "unavailable"))) return undefined;
        throw error;
      });
      if (message) {
        position = message.seq;
        waitMs = FIRST_WAIT_MS;
        yield message;
      } else if (announced) {
        // A message that was announced may not be stored yet, or the replica that answered is behind. Later,
        // the reader asks rarely: most readers wait for a long time.
        const isNew = await announced.next(waitMs > LONGEST_WAIT_MS ? POLL_MS : waitMs);
        waitMs = isNew ? FIRST_WAIT_MS : waitMs * 2;
      } else {
        await pause(waitMs, signal);
        waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS);
      }
    }
  } finally {
    announced?.close();
  }
  return undefined;
}

/** The first message after a sequence; undefined if the replica that answers has none. */
function next(
  context: NatsContext,
  { stream, subject }: FollowOptions,
  after: number,
): Promise<StoredMsg | undefined> {
  return retried(context, `read from ${stream}`, async () => {
    const request = { seq: after + 1, next_by_subj: subject };
    const message = await context.manager.direct.getMessage(stream, request);
    return { value: message ?? undefined };
  });
}

/** Waits for messages of subjects. Servers announce a message before they have stored it. */
export interface Announcements {
  /**
   * Resolves with true at the next message since the last call, and with false after a while (default:
   * 1 s) or at the end.
   */
  next(ms?: number): Promise<boolean>;
  close(): void;
}

/** Subscribes to subjects, only to learn when to ask for them. `heard` is called with each subject. */
export function announcements(
  { connection }: NatsContext,
  subject: string,
  signal: AbortSignal,
  heard: (subject: string) => void = () => {},
): Announcements {
  let isAnnounced = false;
  let waiting = deferred();
  const subscription = connection.subscribe(subject, {
    callback: (error, message) => {
      if (error) return;
      heard(message.subject);
      isAnnounced = true;
      waiting.resolve();
    },
  });
  return {
    next: async (ms = POLL_MS) => {
      const over = new AbortController();
      const ends = AbortSignal.any([signal, over.signal]);
      if (!isAnnounced) await Promise.race([waiting.promise, pause(ms, ends)]);
      over.abort();
      const wasAnnounced = isAnnounced;
      isAnnounced = false;
      waiting = deferred();
      return wasAnnounced;
    },
    close: () => {
      if (!connection.isClosed()) subscription.unsubscribe();
    },
  };
}
