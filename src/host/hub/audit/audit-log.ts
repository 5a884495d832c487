import { mkdir, open, rename, rm, stat, type FileHandle } from "node:fs/promises";
import { dirname, join, parse } from "node:path";
import {
  type JsonObject,
  openPrivate,
  quietly,
  stateFolder,
  type UserEnvironment,
} from "../../../base/index.ts";
import { type AuditEntry, auditLine, noteLine } from "./entry.ts";

/** A log of decisions, to which entries are only added. */
export interface AuditLog {
  /** Adds an entry. Resolves once it is written. Never rejects. */
  record(entry: AuditEntry): Promise<void>;
  /** Adds a line about something else, such as a connection. Resolves once it is written. Never rejects. */
  note(type: string, fields: JsonObject): Promise<void>;
  /** Waits for all entries and closes the file. Never rejects. */
  close(): Promise<void>;
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
