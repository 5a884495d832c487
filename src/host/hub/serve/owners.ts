import { appendFileSync, readFileSync, statSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import {
  openPrivate,
  parseJsonObject,
  quietly,
  stringField,
  toError,
  writeAtomically,
} from "../../../base/index.ts";
import type { SessionOwners } from "../options.ts";

/** How many sessions are remembered. Beyond it, the oldest is forgotten. */
const MAX_SESSIONS = 100_000;

/** The file is written again without its dead lines if it has more lines than this. */
const COMPACT_LINES = 10_000;

/**
 * Keeps the owners of sessions in a file that only this user can read, so that they outlive the server.
 * Several servers may use the file. Every change is written at once: a session whose owner was forgotten
 * could not be found anymore. `failed` is called if that is not possible later; the owner is then known to
 * this server only. Rejects if the file cannot be used.
 */
export function fileOwners(
  path: string,
  failed: (error: Error) => void = () => {},
): Promise<SessionOwners> {
  return quietly(async () => {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await (await openPrivate(path, "append")).close();
    const owners = new FileOwners(path, failed);
    await owners.compact();
    return owners;
  });
}

class FileOwners implements SessionOwners {
  readonly #path: string;
  readonly #failed: (error: Error) => void;
  #owners = new Map<string, string>();
  #lines = 0;
  #version = "";

  constructor(path: string, failed: (error: Error) => void) {
    this.#path = path;
    this.#failed = failed;
    this.#read();
  }

  ownerOf(sessionId: string): string | undefined {
    const found = this.#owners.get(sessionId);
    if (found !== undefined) return found;
    // Another server may have opened it.
    if (this.#version !== versionOf(this.#path)) this.#attempt(() => this.#read());
    return this.#owners.get(sessionId);
  }

  add(sessionId: string, owner: string): void {
    if (this.#owners.get(sessionId) === owner) return;
    this.#keep(sessionId, owner);
    this.#append({ sessionId, owner });
  }

  remove(sessionId: string): void {
    if (this.#owners.delete(sessionId)) this.#append({ sessionId });
  }

  /** Writes the file again if most of its lines are not needed anymore. */
  async compact(): Promise<void> {
    if (this.#lines < COMPACT_LINES || this.#lines < 2 * this.#owners.size) return;
    const lines = [...this.#owners].map(([sessionId, owner]) => lineOf({ sessionId, owner }));
    await writeAtomically(this.#path, lines.join(""));
    this.#version = versionOf(this.#path);
  }

  #append(entry: OwnerEntry): void {
    // Opened each time, because another server may have replaced the file.
    this.#attempt(() => appendFileSync(this.#path, lineOf(entry), { mode: 0o600 }));
  }

  #attempt(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#failed(toError(error));
    }
  }

  #read(): void {
    this.#version = versionOf(this.#path);
    this.#owners = new Map();
    const lines = readFileSync(this.#path, "utf8").split("\n");
    this.#lines = lines.length;
    for (const line of lines) {
      const entry = parseJsonObject(line);
      const sessionId = entry && stringField(entry, "sessionId");
      if (!entry || sessionId === undefined) continue;
      const owner = stringField(entry, "owner");
      if (owner === undefined) this.#owners.delete(sessionId);
      else this.#keep(sessionId, owner);
    }
  }

  #keep(sessionId: string, owner: string): void {
    this.#owners.delete(sessionId);
    this.#owners.set(sessionId, owner);
    const [oldest] = this.#owners.keys();
    if (this.#owners.size > MAX_SESSIONS && oldest !== undefined) this.#owners.delete(oldest);
  }
}

/** Without an owner: the session was deleted. */
interface OwnerEntry {
  readonly sessionId: string;
  readonly owner?: string;
}

function lineOf(entry: OwnerEntry): string {
  return `${JSON.stringify(entry)}\n`;
}

function versionOf(path: string): string {
  const found = statSync(path, { throwIfNoEntry: false });
  return found ? `${found.ino} ${found.size} ${found.mtimeMs}` : "";
}
