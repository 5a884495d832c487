import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  isJsonObject,
  randomId,
  startTimeOf,
  stateFolder,
  isRunning,
} from "../../../base/index.ts";
import { CliError } from "../shell/exit.ts";
import type { Io } from "../shell/io.ts";
import { timeAgo } from "../render/text/phrases.ts";
import { sha256Hex } from "../settings/files.ts";

export interface LockOwner {
  readonly pid: number;
  /** When it began to use the session, in milliseconds since the epoch. */
  readonly since: number;
}

/**
 * The sessions that this run uses. Two runs in one session would mix their messages, so each run leaves
 * a file per session while it uses the session.
 *
 * The name of the file is unique and contains the pid and the start time of its process. A run first
 * writes its own file and then looks for others, so two runs never both get the session. (If they start
 * in the same instant, both may be refused.) The file of a process that has ended is removed: no other
 * process can ever have that name, so nothing that is in use is removed.
 */
export class SessionLocks {
  readonly #io: Pick<Io, "env" | "home" | "platform" | "now">;
  readonly #own = new Map<string, string>();

  constructor(io: Pick<Io, "env" | "home" | "platform" | "now">) {
    this.#io = io;
  }

  /** Takes a session. Throws a CliError (`session`) if another run uses it. */
  take(agent: string, sessionId: string): void {
    const owner = this.tryTake(agent, sessionId);
    if (owner === undefined) return;
    throw new CliError("session", {
      what: `session ${sessionId} is in use by another run (${described(owner, this.#io.now())})`,
      hint: "again when that run has ended, or without resuming the session",
    });
  }

  /** Takes a session, or returns the process that uses it. Without a state folder to write to, it takes it. */
  tryTake(agent: string, sessionId: string): LockOwner | undefined {
    const key = keyOf(agent, sessionId);
    if (this.#own.has(key)) return undefined;
    const file = `${key}.${process.pid}.${startTimeOf(process.pid)}.${randomId()}`;
    try {
      mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
      const text = `${JSON.stringify({ agent, sessionId, since: this.#io.now() })}\n`;
      writeFileSync(join(this.#folder, file), text, { mode: 0o600, flag: "wx" });
    } catch {
      // A full or read-only disk must not keep the user from working.
      return undefined;
    }
    const owner = this.#otherOwner(key, file);
    if (owner === undefined) this.#own.set(key, file);
    else this.#remove(file);
    return owner;
  }

  /** The process of another run that uses a session; undefined if there is none. */
  owner(agent: string, sessionId: string): LockOwner | undefined {
    const key = keyOf(agent, sessionId);
    return this.#otherOwner(key, this.#own.get(key));
  }

  giveBack(agent: string, sessionId: string): void {
    const key = keyOf(agent, sessionId);
    const file = this.#own.get(key);
    if (file === undefined) return;
    this.#own.delete(key);
    this.#remove(file);
  }

  release(): void {
    for (const file of this.#own.values()) this.#remove(file);
    this.#own.clear();
  }

  get #folder(): string {
    return join(stateFolder(this.#io), "locks");
  }

  #otherOwner(key: string, own: string | undefined): LockOwner | undefined {
    for (const name of this.#names()) {
      if (!name.startsWith(`${key}.`) || name === own) continue;
      const [, pid = 0, start = 0] = name.split(".").map(Number);
      if (isSameProcess(pid, start)) return { pid, since: this.#since(name) };
      this.#remove(name);
    }
    return undefined;
  }

  #names(): readonly string[] {
    try {
      return readdirSync(this.#folder);
    } catch {
      return [];
    }
  }

  #since(name: string): number {
    try {
      const value: unknown = JSON.parse(readFileSync(join(this.#folder, name), "utf8"));
      if (isJsonObject(value) && typeof value["since"] === "number") return value["since"];
    } catch {
      // It is being written, or was given back in this moment.
    }
    return this.#io.now();
  }

  #remove(name: string): void {
    try {
      rmSync(join(this.#folder, name), { force: true });
    } catch {
      // Another run removes it later.
    }
  }
}

function keyOf(agent: string, sessionId: string): string {
  return sha256Hex(`${agent}\0${sessionId}`).slice(0, 32);
}

function described({ pid, since }: LockOwner, now: number): string {
  return `process ${pid}, started ${timeAgo(since, now)}`;
}

/** Whether the process runs that had this start time. A system without start times knows only the pid. */
export function isSameProcess(pid: number, start: number): boolean {
  if (!isRunning(pid)) return false;
  const now = startTimeOf(pid);
  return start === 0 || now === 0 || now === start;
}
