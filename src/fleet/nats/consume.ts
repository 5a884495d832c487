import type { ConsumerMessages, JsMsg, OrderedConsumerOptions } from "@nats-io/jetstream";
import { FleetError } from "../errors.ts";
import { pause } from "../pause.ts";
import { type NatsContext, retried } from "./context.ts";

/** How many messages may wait for a reader. */
const READ_AHEAD = 200;
/** The time before a reader that lost its consumer makes another. */
const PAUSE_MS = 200;

/** What is read of a stream. */
export interface ConsumeOptions {
  readonly stream: string;
  readonly subject: string;
  /** The sequence after which to start. */
  readonly after: number;
  /** The sequence of the last message to read. */
  readonly last: number;
  /** Ends the reading when aborted. */
  readonly signal: AbortSignal;
}

/**
 * Reads the messages of a subject in order, each once, through the deaths of servers. It waits for messages
 * that are not there yet, until `last`.
 */
export async function* consume(
  context: NatsContext,
  options: ConsumeOptions,
): AsyncGenerator<JsMsg, undefined> {
  const { last, signal } = options;
  let position = options.after;
  while (!signal.aborted && position < last) {
    const messages = await open(context, options, position);
    const stop = (): void => messages.stop();
    signal.addEventListener("abort", stop, { once: true });
    if (signal.aborted) stop();
    try {
      for await (const message of messages) {
        // A consumer that was made again may repeat.
        if (message.seq <= position) continue;
        position = message.seq;
        yield message;
        if (position >= last || signal.aborted) return undefined;
      }
    } catch (error) {
      if (error instanceof FleetError) throw error;
      // The servers ended the consumer: read on with another.
    } finally {
      signal.removeEventListener("abort", stop);
      // Its server may be gone, and then it goes by itself.
      void messages.close().catch(() => {});
    }
    await pause(PAUSE_MS, signal);
  }
  return undefined;
}

function open(
  context: NatsContext,
  { stream, subject }: ConsumeOptions,
  after: number,
): Promise<ConsumerMessages> {
  const { DeliverPolicy } = context.packages.jetstream;
  const consumer: Partial<OrderedConsumerOptions> = {
    // A list of subjects needs nats-server 2.10.
    filter_subjects: subject,
    deliver_policy: DeliverPolicy.StartSequence,
    opt_start_seq: after + 1,
  };
  return retried(context, `read from ${stream}`, async () => {
    const opened = await context.streams.consumers.get(stream, consumer);
    return { value: await opened.consume({ max_messages: READ_AHEAD }) };
  });
}
