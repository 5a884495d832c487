import { readdir, readFile, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { SessionUpdate } from "../../protocol/acp/index.ts";
import { asObject, isJsonObject, type JsonObject, writeAtomically } from "../../base/index.ts";
import { Conversation, parseMode, setOption } from "./conversation.ts";

/** Ids become file names, so only ids that we generated ourselves are allowed. */
const ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The limit in memory and in the folder. Beyond it, the oldest are dropped. */
const MAX_CONVERSATIONS = 500;

/** All conversations: in memory, and in a folder if one is given. */
export class Store {
  readonly #known = new Map<string, Conversation>();
  readonly #folder: string | undefined;
  #pruned = false;

  constructor(folder: string | undefined) {
    this.#folder = folder;
  }

  add(conversation: Conversation): void {
    this.#known.set(conversation.id, conversation);
    for (const id of this.#known.keys()) {
      if (this.#known.size <= MAX_CONVERSATIONS) return;
      this.#known.delete(id);
    }
  }

  async find(id: string): Promise<Conversation | undefined> {
    const known = this.#known.get(id);
    if (known || this.#folder === undefined || !ID.test(id)) return known;
    const read = await readConversation(this.#fileOf(this.#folder, id));
    if (read) this.#known.set(id, read);
    return read;
  }

  /** The conversations of a working folder, or all of them; newest first. */
  async list(cwd: string | undefined): Promise<Conversation[]> {
    if (this.#folder !== undefined) {
      const files = await readdir(this.#folder).catch(() => []);
      for (const file of files) await this.find(file.replace(/\.jsonl$/, ""));
    }
    return [...this.#known.values()]
      .filter((conversation) => cwd === undefined || conversation.cwd === cwd)
      .toSorted((a, b) => (a.updatedAt < b.updatedAt ? 1 : -1));
  }

  /** Writes a conversation to the folder, if there is one. */
  async save(conversation: Conversation): Promise<void> {
    if (this.#folder === undefined || !this.#known.has(conversation.id)) return;
    // Another process may be pruning at the same time.
    await this.#prune(this.#folder).catch(() => {});
    const { info, mode, detail, quotes, history } = conversation;
    const head = { ...info, settings: { mode, detail, quotes } };
    const lines = [head, ...history.snapshot()];
    const text = lines.map((line) => `${JSON.stringify(line)}\n`).join("");
    await writeAtomically(this.#fileOf(this.#folder, conversation.id), text);
  }

  /** Runs once per process: a thousand runs must not leave a thousand files behind. */
  async #prune(folder: string): Promise<void> {
    if (this.#pruned) return;
    this.#pruned = true;
    const files = await readdir(folder);
    if (files.length < MAX_CONVERSATIONS) return;
    const aged = await Promise.all(
      files.map(async (file) => ({ file, at: (await stat(join(folder, file))).mtimeMs })),
    );
    const oldest = aged.toSorted((a, b) => a.at - b.at).slice(0, -MAX_CONVERSATIONS + 1);
    await Promise.all(oldest.map(({ file }) => rm(join(folder, file), { force: true })));
  }

  async remove(id: string): Promise<void> {
    this.#known.delete(id);
    if (this.#folder === undefined || !ID.test(id)) return;
    await rm(this.#fileOf(this.#folder, id), { force: true });
  }

  #fileOf(folder: string, id: string): string {
    return join(folder, `${id}.jsonl`);
  }
}

/** Undefined for a file that is missing or that we did not write. */
async function readConversation(path: string): Promise<Conversation | undefined> {
  try {
    const [head, ...lines] = (await readFile(path, "utf8")).trimEnd().split("\n");
    const info: unknown = JSON.parse(head ?? "");
    if (!isJsonObject(info)) return undefined;
    const { sessionId, cwd, title, updatedAt, archived } = info;
    if (typeof sessionId !== "string" || typeof cwd !== "string") return undefined;
    const updates = lines.map((line): unknown => JSON.parse(line)).filter(isUpdate);
    const conversation = new Conversation(cwd, sessionId, updates);
    if (typeof title === "string") conversation.title = title;
    conversation.archived = archived === true;
    if (typeof updatedAt === "string") conversation.updatedAt = updatedAt;
    restoreSettings(conversation, asObject(info["settings"]));
    return conversation;
  } catch {
    return undefined;
  }
}

/** Takes over the mode and the options. Those that are missing or unknown keep their defaults. */
function restoreSettings(conversation: Conversation, { mode, ...options }: JsonObject): void {
  if (typeof mode === "string") conversation.mode = parseMode(mode) ?? conversation.mode;
  for (const [id, value] of Object.entries(options))
    if (typeof value === "string" || typeof value === "boolean") setOption(conversation, id, value);
}

function isUpdate(value: unknown): value is SessionUpdate {
  return isJsonObject(value) && typeof value["sessionUpdate"] === "string";
}
