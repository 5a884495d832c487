import { quietIterator, quietly } from "../../../base/index.ts";
import type { AppendOptions, FleetLog, FleetValues, LoggedEntry, ReadOptions } from "../engine.ts";
import { closedError, fenced } from "../errors.ts";
import { type NatsContext, retried } from "./context.ts";
import { follow as followMessages } from "./follow.ts";
import { publishOnce } from "./publish.ts";
import { fenceOf, packText, unpackText } from "./texts.ts";

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
  const messages = followMessages(context, {
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
