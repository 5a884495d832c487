import { mkdir, open, rename, rm, stat, type FileHandle } from "node:fs/promises";
import { dirname, join, parse } from "node:path";
import {
  type JsonObject,
  openPrivate,
  quietly,
  stateFolder,
  type UserEnvironment,
  redactText,
  redactValue,
  sanitizeJson,
} from "../../base/index.ts";
import type { ToolKind } from "../../protocol/acp/index.ts";
import type { PermissionTargets, TargetCommand, TargetPath } from "../../client/index.ts";

/** A log of decisions, to which entries are only added. */
export interface AuditLog {
  /** Adds an entry. Resolves once it is written. Never rejects. */
  record(entry: AuditEntry): Promise<void>;
  /** Adds a line about something else, such as a connection. Resolves once it is written. Never rejects. */
  note(type: string, fields: JsonObject): Promise<void>;
  /** Waits for all entries and closes the file. Never rejects. */
  close(): Promise<void>;
  /** Calls `close`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** Options of {@link openAuditLog}. */
export interface AuditLogOptions {
  /** The size at which a new file is started, in bytes. Default: 16 MiB. */
  readonly maxBytes?: number | undefined;
  /** Called if an entry cannot be written, such as on a full disk. The decision stands. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

/** Pure: the audit log of a user, in the state folder. */
export function defaultAuditFile(user: UserEnvironment): string {
  return join(stateFolder(user), "audit.jsonl");
}

/**
 * Opens an audit log that only the user can read. When `audit.jsonl` is full, it becomes `audit.1.jsonl`, in
 * place of the one before. Several programs may write to the same log. Rejects if it cannot be written.
 */
export function openAuditLog(file: string, options: AuditLogOptions = {}): Promise<AuditLog> {
  return quietly(async () => {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    return new AuditFile(file, await openPrivate(file, "append"), options);
  });
}

const DEFAULT_MAX_BYTES = 16 * 1024 * 1024;

/** A lock of this age belongs to a program that died: it is held for a few calls to the system. */
const STALE_LOCK_MS = 10_000;

class AuditFile implements AuditLog {
  readonly #file: string;
  readonly #maxBytes: number;
  readonly #onError: (error: unknown) => void;
  #handle: FileHandle;
  #written: Promise<void> = Promise.resolve();

  constructor(file: string, handle: FileHandle, { maxBytes, onError }: AuditLogOptions) {
    this.#file = file;
    this.#handle = handle;
    this.#maxBytes = maxBytes ?? DEFAULT_MAX_BYTES;
    this.#onError = onError ?? (() => {});
  }

  record(entry: AuditEntry): Promise<void> {
    const line = `${auditLine(entry, new Date())}\n`;
    return this.#next(() => this.#append(line));
  }

  note(type: string, fields: JsonObject): Promise<void> {
    const line = `${noteLine(type, fields, new Date())}\n`;
    return this.#next(() => this.#append(line));
  }

  close(): Promise<void> {
    return this.#next(() => this.#handle.close());
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #next(work: () => Promise<void>): Promise<void> {
    this.#written = this.#written.then(work).catch((error: unknown) => this.#onError(error));
    return this.#written;
  }

  async #append(line: string): Promise<void> {
    await this.#follow();
    const { size } = await this.#handle.stat();
    if (size > 0 && size + Buffer.byteLength(line) > this.#maxBytes) await this.#rotate();
    // One call, so that the lines of several programs do not mix.
    await this.#handle.write(line);
  }

  /** Opens the file again if another program started a new one. */
  async #follow(): Promise<void> {
    if (await this.#isCurrent()) return;
    const old = this.#handle;
    this.#handle = await openPrivate(this.#file, "append");
    await old.close();
  }

  async #isCurrent(): Promise<boolean> {
    const found = await stat(this.#file).catch(() => undefined);
    const own = await this.#handle.stat();
    return found?.ino === own.ino && found.dev === own.dev;
  }

  /** Without the lock, two programs could rename one after the other, and the second would lose the old file. */
  async #rotate(): Promise<void> {
    const lock = `${this.#file}.lock`;
    const held = await open(lock, "wx", 0o600).catch(() => undefined);
    if (!held) return removeStale(lock);
    try {
      if (await this.#isCurrent()) await rename(this.#file, previousOf(this.#file));
    } finally {
      await held.close();
      await rm(lock, { force: true });
    }
    await this.#follow();
  }
}

async function removeStale(lock: string): Promise<void> {
  const found = await stat(lock).catch(() => undefined);
  if (found && Date.now() - found.mtimeMs > STALE_LOCK_MS) await rm(lock, { force: true });
}

/** `audit.jsonl` becomes `audit.1.jsonl`. */
function previousOf(file: string): string {
  const { dir, name, ext } = parse(file);
  return join(dir, `${name}.1${ext}`);
}

/** A decision about a request of an agent. */
export interface AuditEntry {
  readonly agent: string;
  readonly owner: string;
  /** The session that the request names, or an empty text. */
  readonly session: string;
  readonly method: string;
  /** The kind that the request was judged by. */
  readonly kind: ToolKind;
  /** The paths and commands that the request is about, as far as they are known. */
  readonly targets: PermissionTargets;
  /** `cancel`: the request was withdrawn, or its question was left open. */
  readonly decision: "allow" | "deny" | "cancel";
  /** Who decided. */
  readonly by: AuditSource;
}

/** Who decided about a request. */
type AuditSource =
  /** A rule, by its number in the file. */
  | {
      readonly type: "rule";
      /** The number of the rule. */
      readonly rule: number;
      /** The name of the file. */
      readonly file: string;
    }
  /** A client, by its name, if the hub knows it. */
  | {
      readonly type: "client";
      /** The owner of the client. */
      readonly client: string | undefined;
    }
  /** A client chose earlier to decide all requests of this kind in this session in the same way. */
  | { readonly type: "remembered" }
  /** No client was attached who could decide. */
  | { readonly type: "unattended" }
  /** The path is outside the session's folders, or cannot be used. */
  | { readonly type: "roots" }
  /** No rule matched, and reading inside the session's folders is allowed. */
  | { readonly type: "default" }
  /** The turn was cancelled, the agent withdrew the request, or the session ended. */
  | { readonly type: "cancelled" }
  /** The request is not valid: two options have the same id, or no rule can judge it. */
  | { readonly type: "invalid" };

/** Pure: the line of an entry in the audit log, without secrets, contents and characters that act on a terminal. */
export function auditLine(entry: AuditEntry, time: Date): string {
  const { agent, owner, session, method, kind, decision, by } = entry;
  const { paths, commands, isComplete } = entry.targets;
  const clean = redactValue({
    time: time.toISOString(),
    agent: readable(agent),
    owner: readable(owner),
    session: readable(session),
    method: readable(method),
    kind,
    targets: {
      ...(paths.length > 0 ? { paths: paths.map(shownPath) } : {}),
      ...(commands.length > 0 ? { commands: commands.map(shownCommand) } : {}),
      ...(isComplete ? {} : { more: true }),
    },
    decision,
    by,
  });
  return shortLine(clean);
}

/** Pure: the line of something that is not a decision, without secrets. */
function noteLine(type: string, fields: JsonObject, time: Date): string {
  return shortLine(redactValue({ time: time.toISOString(), type, ...fields }));
}

/** Cuts long texts after the redaction, which may not know a part of a secret. */
function shortLine(clean: unknown): string {
  const shown = (_: string, value: unknown): unknown =>
    typeof value === "string" ? cut(value, SHOWN_CHARACTERS) : value;
  return sanitizeJson(JSON.stringify(clean, shown));
}

/** The real path too, if it is another one. */
function shownPath({ path, realPath }: TargetPath): string | JsonObject {
  if (realPath === undefined || realPath === path) return readable(path);
  return { path: readable(path), realPath: readable(realPath) };
}

/** The names of the variables, but never their values. */
function shownCommand({ line, words, cwd, env }: TargetCommand): JsonObject {
  const names = Object.keys(env).slice(0, SHOWN_WORDS);
  return {
    ...(words
      ? { command: words.slice(0, SHOWN_WORDS).map(readable) }
      : { line: redactText(readable(line ?? "")) }),
    cwd: shownPath(cwd),
    ...(names.length > 0 ? { variables: names.map(readable) } : {}),
  };
}

/** An agent may send megabytes. */
const SHOWN_CHARACTERS = 1000;
const SHOWN_WORDS = 100;
const READ_CHARACTERS = 64 * 1024;

function readable(text: string): string {
  return cut(text, READ_CHARACTERS);
}

function cut(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length)}…` : text;
}
