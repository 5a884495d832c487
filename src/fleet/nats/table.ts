import type { KV, KvEntry } from "@nats-io/kv";
import { quietIterator, quietly } from "../../wire/index.ts";
import type { FleetTable, TableChange, TableEntry } from "../engine.ts";
import { pause } from "../pause.ts";
import { type NatsContext, retried } from "./context.ts";
import { idOf, type NatsBucket } from "./names.ts";
import { publishOnce } from "./publish.ts";

/** A record together with its key, because a subject may have only the key's hash. */
interface StoredRecord {
  readonly key: string;
  readonly value: string;
}

/** The time before a watcher that lost its connection starts again. */
const PAUSE_MS = 500;
/** How long one reading of the whole table may take. */
const LIST_MS = 5000;

/** A table in a bucket. */
export function natsTable(context: NatsContext, bucket: NatsBucket, kv: KV): FleetTable {
  const table = new BucketTable(context, bucket, kv);
  return {
    get: (key) => quietly(() => table.get(key)),
    create: (key, value) => quietly(() => table.create(key, value)),
    update: (key, value, revision) => quietly(() => table.write(key, value, revision)),
    put: (key, value) => quietly(async () => void (await table.write(key, value, undefined))),
    delete: (key, revision) => quietly(() => table.delete(key, revision)),
    list: () => quietly(() => table.list()),
    watch: (signal) => quietIterator(table.watch(signal)),
  };
}

class BucketTable {
  readonly #context: NatsContext;
  readonly #bucket: NatsBucket;
  readonly #kv: KV;
  readonly #stream: string;

  constructor(context: NatsContext, bucket: NatsBucket, kv: KV) {
    this.#context = context;
    this.#bucket = bucket;
    this.#kv = kv;
    this.#stream = `KV_${context.names.buckets[bucket]}`;
  }

  async get(key: string): Promise<TableEntry | undefined> {
    const entry = await this.#entry(key);
    return entry && this.#read(entry);
  }

  async create(key: string, value: string): Promise<number | undefined> {
    const revision = await this.write(key, value, 0);
    if (revision !== undefined) return revision;
    // A record that was removed leaves a mark, which can be replaced.
    const entry = await this.#entry(key);
    return entry && entry.operation !== "PUT" ? this.write(key, value, entry.revision) : undefined;
  }

  /** Writes a record, if `after` is the revision of the last change. Default: in any case. */
  write(key: string, value: string, after: number | undefined): Promise<number | undefined> {
    const record: StoredRecord = { key, value };
    return this.#publish(key, JSON.stringify(record), after);
  }

  async delete(key: string, revision: number | undefined): Promise<boolean> {
    return (await this.#publish(key, "", revision, "DEL")) !== undefined;
  }

  async list(): Promise<readonly TableEntry[]> {
    return retried(this.#context, `list ${this.#stream}`, async () => {
      const entries = new Map<string, TableEntry>();
      const history = await this.#kv.history();
      let isComplete = false;
      const timer = setTimeout(() => history.stop(), LIST_MS);
      try {
        for await (const entry of history) {
          const record = this.#read(entry);
          if (record) entries.set(record.key, record);
          if (entry.delta === 0) isComplete = true;
        }
      } finally {
        clearTimeout(timer);
      }
      // The stream also ends early if its server dies. An empty table has no last entry.
      if (!isComplete && entries.size > 0) return undefined;
      return { value: [...entries.values()] };
    });
  }

  async *watch(signal: AbortSignal): AsyncGenerator<TableChange, undefined> {
    const { closed } = this.#context;
    const end = AbortSignal.any([signal, closed]);
    while (!end.aborted) {
      const changes = await retried(this.#context, `watch ${this.#stream}`, async () => ({
        value: await this.#kv.watch(),
      }));
      const stop = (): void => changes.stop();
      end.addEventListener("abort", stop, { once: true });
      if (end.aborted) stop();
      try {
        for await (const entry of changes) {
          const change = this.#change(entry);
          if (change) yield change;
        }
      } catch {
        // The servers ended the watcher: watch on with another, which starts with all records.
      } finally {
        end.removeEventListener("abort", stop);
        stop();
      }
      await pause(PAUSE_MS, end);
    }
    return undefined;
  }

  /** The last change of a record, even if it was removed. */
  #entry(key: string): Promise<KvEntry | undefined> {
    const { names } = this.#context;
    const name = names.recordSubject(this.#bucket, key).split(".").at(-1) ?? "";
    return retried(this.#context, `read from ${this.#stream}`, async () => ({
      value: (await this.#kv.get(name)) ?? undefined,
    }));
  }

  #read(entry: KvEntry): TableEntry | undefined {
    if (entry.operation !== "PUT") return undefined;
    const { key, value } = entry.json<StoredRecord>();
    return { key, value, revision: entry.revision };
  }

  #change(entry: KvEntry): TableChange | undefined {
    const record = this.#read(entry);
    if (record) return { key: record.key, value: record.value };
    const key = idOf(entry.key);
    return key === undefined ? undefined : { key, value: undefined };
  }

  async #publish(
    key: string,
    data: string,
    after: number | undefined,
    operation?: "DEL",
  ): Promise<number | undefined> {
    const { names, packages } = this.#context;
    const subject = names.recordSubject(this.#bucket, key);
    const headers = packages.transport.headers();
    if (operation) headers.set("KV-Operation", operation);
    const stream = this.#stream;
    const published = await publishOnce(this.#context, { stream, subject, data, after, headers });
    return published.kind === "stored" ? published.sequence : undefined;
  }
}
