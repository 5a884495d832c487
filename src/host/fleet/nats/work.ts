import type { Consumer, JsMsg } from "@nats-io/jetstream";
import { quietly, unlessAborted } from "../../../base/index.ts";
import type { FleetQueue, FleetValues, TakeOptions, WorkItem } from "../engine.ts";
import { closedError, FleetError } from "../errors.ts";
import { ATTEMPT_MS, type NatsContext, retried } from "./context.ts";
import { publishOnce, packText, unpackText } from "./publish.ts";

/** The servers accept no shorter wait. */
const MIN_WAIT_MS = 1000;

/** The queue of work in a stream, from which finished work is removed. */
export function natsQueue(context: NatsContext, values: FleetValues): FleetQueue {
  const queue = new StreamQueue(context, values);
  return {
    add: (pool, id, text) => quietly(() => queue.add(pool, id, text)),
    take: (pool, options) => quietly(() => queue.take(pool, options)),
    depth: (pool) => quietly(() => queue.depth(pool)),
  };
}

class StreamQueue {
  readonly #context: NatsContext;
  readonly #values: FleetValues;
  readonly #consumers = new Map<string, Consumer>();

  constructor(context: NatsContext, values: FleetValues) {
    this.#context = context;
    this.#values = values;
  }

  async add(pool: string, id: string, text: string): Promise<boolean> {
    const { names } = this.#context;
    const packed = await packText(this.#context, this.#values, text);
    const subject = names.workSubject(pool);
    const published = await publishOnce(this.#context, {
      stream: names.work,
      subject,
      id,
      ...packed,
    });
    return published.kind === "stored" && !published.isDuplicate;
  }

  async take(pool: string, { waitMs, signal }: TakeOptions): Promise<WorkItem | undefined> {
    const { closed } = this.#context;
    const end = signal ? AbortSignal.any([closed, signal]) : closed;
    const consumer = await this.#consumer(pool);
    if (end.aborted) return undefined;
    const expires = Math.max(MIN_WAIT_MS, waitMs);
    const next = consumer.next({ expires });
    // Work that arrives after the end of waiting goes back at once.
    let isOver = false;
    const taken = next.then(
      (message) => {
        if (isOver) message?.nak();
        return message;
      },
      () => {
        // The consumer may be gone with its server: it is looked up again.
        this.#consumers.delete(pool);
        return null;
      },
    );
    const message = await unlessAborted(taken, end).catch(() => null);
    isOver = true;
    if (closed.aborted) throw closedError("the engine");
    return message ? this.#item(message) : undefined;
  }

  async depth(pool: string): Promise<number> {
    const { manager, names } = this.#context;
    const subject = names.workSubject(pool);
    // Work that was done is not in the stream anymore.
    return retried(this.#context, "read the queue", async () => {
      const { state } = await manager.streams.info(names.work, { subjects_filter: subject });
      return { value: state.subjects?.[subject] ?? 0 };
    });
  }

  async #consumer(pool: string): Promise<Consumer> {
    const known = this.#consumers.get(pool);
    if (known) return known;
    const { manager, names, packages, streams, limits } = this.#context;
    const { AckPolicy } = packages.jetstream;
    const durable = names.workConsumer(pool);
    const consumer = await retried(this.#context, "open the queue", async () => {
      await manager.consumers.add(names.work, {
        durable_name: durable,
        filter_subject: names.workSubject(pool),
        ack_policy: AckPolicy.Explicit,
        ack_wait: packages.transport.nanos(limits.workMs),
        max_ack_pending: limits.maxWork,
      });
      return { value: await streams.consumers.get(names.work, durable) };
    });
    this.#consumers.set(pool, consumer);
    return consumer;
  }

  async #item(message: JsMsg): Promise<WorkItem> {
    const text = await unpackText(this.#values, message);
    return {
      id: message.headers?.get("Nats-Msg-Id") ?? "",
      text,
      deliveries: message.info.deliveryCount,
      extend: () => Promise.resolve(message.working()),
      giveBack: (delayMs) => Promise.resolve(message.nak(delayMs)),
      done: () =>
        quietly(async () => {
          const isDone = await message.ackAck({ timeout: ATTEMPT_MS }).catch(() => false);
          if (isDone) return;
          throw new FleetError("unavailable", "the queue did not confirm that the work is done");
        }),
    };
  }
}
