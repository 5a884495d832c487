import type { StoredMsg } from "@nats-io/jetstream";
import { deferred, pause } from "../../../base/index.ts";
import type { LogStore } from "../engine-parts.ts";
import type { LoggedEntry } from "../engine.ts";
import { fenced, isFleetError } from "../errors.ts";
import { type NatsContext, retried } from "./context.ts";
import { fenceOf, packText, publishOnce, unpackText } from "./publish.ts";

/** All logs in one stream, with a subject each: a stream of its own would be a group of servers. */
export function natsLog(context: NatsContext): LogStore {
  const { manager, names } = context;
  const stream = names.events;
  return {
    append: async (session, text, { fence, after }) => {
      const subject = names.eventSubject(session);
      const packed = await packText(context, text, fence);
      const published = await publishOnce(context, { stream, subject, after, ...packed });
      if (!published) throw fenced(session);
      return published.sequence;
    },
    last: (session) =>
      retried(context, `read from ${stream}`, async () => {
        const query = { last_by_subj: names.eventSubject(session) };
        return (await manager.streams.getMessage(stream, query))?.seq ?? 0;
      }),
    read: (session, after, last, signal) => read(context, session, after, last, signal),
    remove: async (session) => {
      const filter = names.eventSubject(session);
      await retried(context, `remove from ${stream}`, () =>
        manager.streams.purge(stream, { filter }),
      );
    },
  };
}

/** The first and the longest time before a message that was announced is asked for again. */
const FIRST_WAIT_MS = 1;
const LONGEST_WAIT_MS = 100;
/** When a reader asks although no message was announced: announcements are lost with a connection. */
const POLL_MS = 1000;

/**
 * Each message is a request of its own, which any replica answers. A consumer would be quicker for a long
 * log, but after the death of one of three servers, nats-server 2.9.10 places every third consumer on the
 * dead one, and leaves existing ones there.
 */
async function* read(
  context: NatsContext,
  session: string,
  after: number,
  last: number,
  signal: AbortSignal,
): AsyncGenerator<LoggedEntry, undefined> {
  const subject = context.names.eventSubject(session);
  const isFollowing = !Number.isFinite(last);
  const announced = isFollowing ? announcements(context, subject, signal) : undefined;
  let position = after;
  let waitMs = FIRST_WAIT_MS;
  try {
    while (!signal.aborted && position < last) {
      const message = await next(context, subject, position).catch((error: unknown) => {
        // A reader that follows has time: the servers may be back later.
        if (signal.aborted || (isFollowing && isFleetError(error, "unavailable"))) return undefined;
        throw error;
      });
      if (message) {
        position = message.seq;
        waitMs = FIRST_WAIT_MS;
        const text = await unpackText(context, message);
        yield { position, fence: fenceOf(message), at: message.time.getTime(), text };
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

/** The first message of a log after a sequence; undefined if the replica that answers has none. */
function next(
  context: NatsContext,
  subject: string,
  after: number,
): Promise<StoredMsg | undefined> {
  const { manager, names } = context;
  const request = { seq: after + 1, next_by_subj: subject };
  return retried(
    context,
    `read from ${names.events}`,
    async () => (await manager.direct.getMessage(names.events, request)) ?? undefined,
  );
}

/** Waits for messages of subjects. Servers announce a message before they have stored it. */
interface Announcements {
  /** Resolves with true at the next message since the last call, and with false after `ms`. */
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
