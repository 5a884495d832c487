import type { KV, KvEntry } from "@nats-io/kv";
import type { TableStore } from "../engine-parts.ts";
import type { TableChange, TableEntry } from "../engine.ts";
import { type NatsContext, retried } from "./context.ts";
import { announcements } from "./log.ts";
import { publishOnce } from "./publish.ts";
import { idOfSubjectToken, type NatsBucket } from "./names.ts";

/** A record together with its key, because a subject may have only the key's hash. */
interface StoredRecord {
  readonly key: string;
  readonly value: string;
}

const READS_AT_ONCE = 32;
/** How often a watcher compares everything, because announcements may be lost. */
const COMPARE_MS = 30_000;

export class NatsTable implements TableStore {
  readonly #context: NatsContext;
  readonly #bucket: NatsBucket;
  readonly #kv: KV;
  readonly #stream: string;
  readonly #everything: string;

  constructor(context: NatsContext, bucket: NatsBucket, kv: KV) {
    this.#context = context;
    this.#bucket = bucket;
    this.#kv = kv;
    const name = context.names.buckets[bucket];
    this.#stream = `KV_${name}`;
    this.#everything = `$KV.${name}.>`;
  }

  async get(key: string): Promise<TableEntry | undefined> {
    const entry = await this.#entry(key);
    return entry && this.#read(entry);
  }

  async create(key: string, value: string): Promise<number | undefined> {
    const revision = await this.update(key, value, 0);
    if (revision !== undefined) return revision;
    // A record that was removed leaves a mark, which can be replaced.
    const entry = await this.#entry(key);
    return entry && entry.operation !== "PUT" ? this.update(key, value, entry.revision) : undefined;
  }

  /** Writes a record, if `after` is the revision of the last change. Default: in any case. */
  update(key: string, value: string, after: number | undefined): Promise<number | undefined> {
    const record: StoredRecord = { key, value };
    return this.#publish(key, JSON.stringify(record), after);
  }

  async put(key: string, value: string): Promise<void> {
    await this.update(key, value, undefined);
  }

  async delete(key: string, revision?: number): Promise<boolean> {
    return (await this.#publish(key, "", revision, "DEL")) !== undefined;
  }

  async list(): Promise<readonly TableEntry[]> {
    const subjects = await retried(this.#context, `list ${this.#stream}`, async () => {
      const query = { subjects_filter: this.#everything };
      const info = await this.#context.manager.streams.info(this.#stream, query);
      return Object.keys(info.state.subjects ?? {});
    });
    const entries: TableEntry[] = [];
    for (let at = 0; at < subjects.length; at += READS_AT_ONCE) {
      const some = subjects.slice(at, at + READS_AT_ONCE).map(async (subject) => {
        const entry = await this.#named(nameOf(subject));
        return entry && this.#read(entry);
      });
      for (const entry of await Promise.all(some)) if (entry) entries.push(entry);
    }
    return entries;
  }

  /** An announcement only says where to look: it may be lost, or be of a write that failed. */
  async *watch(signal: AbortSignal): AsyncGenerator<TableChange, undefined> {
    const heard = new Set<string>();
    const announced = announcements(this.#context, this.#everything, signal, (subject) => {
      heard.add(nameOf(subject));
    });
    const known = new Map<string, TableEntry>();
    let comparedAt = Number.NEGATIVE_INFINITY;
    try {
      while (!signal.aborted) {
        if (performance.now() - comparedAt > COMPARE_MS) {
          comparedAt = performance.now();
          yield* compare(known, await this.list());
        }
        const names = [...heard];
        heard.clear();
        for (const name of names) yield* this.#changes(known, name);
        if (heard.size === 0) await announced.next();
      }
    } finally {
      announced.close();
    }
    return undefined;
  }

  /** The change of one record since it was seen last. */
  async *#changes(known: Map<string, TableEntry>, name: string): AsyncGenerator<TableChange> {
    const entry = await this.#named(name);
    const record = entry && this.#read(entry);
    if (record) {
      yield* changed(known, record);
      return;
    }
    const key = idOfSubjectToken(name);
    if (key !== undefined && known.delete(key)) yield { key, value: undefined };
  }

  /** The last change of a record, even if it was removed. */
  #entry(key: string): Promise<KvEntry | undefined> {
    const { names } = this.#context;
    return this.#named(nameOf(names.recordSubject(this.#bucket, key)));
  }

  #named(name: string): Promise<KvEntry | undefined> {
    return retried(
      this.#context,
      `read from ${this.#stream}`,
      async () => (await this.#kv.get(name)) ?? undefined,
    );
  }

  #read(entry: KvEntry): TableEntry | undefined {
    if (entry.operation !== "PUT") return undefined;
    const { key, value } = entry.json<StoredRecord>();
    return { key, value, revision: entry.revision };
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
    return published?.sequence;
  }
}

function nameOf(subject: string): string {
  return subject.slice(subject.lastIndexOf(".") + 1);
}

/** The changes between what is known and a list, which is known afterwards. */
function* compare(
  known: Map<string, TableEntry>,
  entries: readonly TableEntry[],
): Generator<TableChange> {
  const keys = new Set(entries.map(({ key }) => key));
  for (const key of [...known.keys()].filter((name) => !keys.has(name))) {
    known.delete(key);
    yield { key, value: undefined };
  }
  for (const entry of entries) yield* changed(known, entry);
}

/** A change, if the entry is newer than the known one. */
function* changed(known: Map<string, TableEntry>, entry: TableEntry): Generator<TableChange> {
  const { key, value, revision } = entry;
  if ((known.get(key)?.revision ?? 0) >= revision) return;
  known.set(key, entry);
  yield { key, value };
}
