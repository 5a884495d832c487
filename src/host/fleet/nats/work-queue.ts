import type { Consumer, JsMsg } from "@nats-io/jetstream";
import { quietly, unlessAborted } from "../../../base/index.ts";
import type { QueueStore } from "../engine-parts.ts";
import type { WorkItem } from "../engine.ts";
import { FleetError } from "../errors.ts";
import { ATTEMPT_MS, type NatsContext, retried } from "./context.ts";
import { packText, publishOnce, unpackText } from "./publish.ts";

/** The servers accept no shorter wait. */
const MIN_WAIT_MS = 1000;

/** The queue of work in a stream, from which finished work is removed. */
export class NatsQueue implements QueueStore {
  readonly #context: NatsContext;
  readonly #consumers = new Map<string, Consumer>();

  constructor(context: NatsContext) {
    this.#context = context;
  }

  async add(pool: string, id: string, text: string): Promise<boolean> {
    const { names } = this.#context;
    const packed = await packText(this.#context, text);
    const message = { stream: names.work, subject: names.workSubject(pool), id, ...packed };
    const published = await publishOnce(this.#context, message);
    return published !== undefined && !published.isDuplicate;
  }

  async take(pool: string, waitMs: number, signal: AbortSignal): Promise<WorkItem | undefined> {
    const consumer = await this.#consumer(pool);
    if (signal.aborted) return undefined;
    const next = consumer.next({ expires: Math.max(MIN_WAIT_MS, waitMs) });
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
    const message = await unlessAborted(taken, signal).catch(() => null);
    isOver = true;
    return message && !this.#context.closed.aborted ? this.#item(message) : undefined;
  }

  depth(pool: string): Promise<number> {
    const { manager, names } = this.#context;
    const subject = names.workSubject(pool);
    // Work that was done is not in the stream anymore.
    return retried(this.#context, "read the queue", async () => {
      const { state } = await manager.streams.info(names.work, { subjects_filter: subject });
      return state.subjects?.[subject] ?? 0;
    });
  }

  async #consumer(pool: string): Promise<Consumer> {
    const known = this.#consumers.get(pool);
    if (known) return known;
    const { manager, names, packages, streams, limits } = this.#context;
    const durable = names.workConsumer(pool);
    const consumer = await retried(this.#context, "open the queue", async () => {
      await manager.consumers.add(names.work, {
        durable_name: durable,
        filter_subject: names.workSubject(pool),
        ack_policy: packages.jetstream.AckPolicy.Explicit,
        ack_wait: packages.transport.nanos(limits.workMs),
        max_ack_pending: limits.maxWork,
      });
      return streams.consumers.get(names.work, durable);
    });
    this.#consumers.set(pool, consumer);
    return consumer;
  }

  async #item(message: JsMsg): Promise<WorkItem> {
    const text = await unpackText(this.#context, message);
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
