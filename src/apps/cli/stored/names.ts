import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import {
  isJsonObject,
  stateFolder,
  type UserEnvironment,
  writeAtomically,
} from "../../../base/index.ts";
import { readIfPresent } from "../settings/files.ts";
import { usageError } from "../shell/exit.ts";
import { hash } from "../settings/trust.ts";

/** A name that the user gave to a session of an agent, in a folder. */
export interface SessionName {
  readonly name: string;
  readonly sessionId: string;
}

const MAX_NAME = 100;
/** Letters, digits and common marks of any language, without a dash at the start: it must not look like a flag. */
const NAME = /^[\p{L}\p{N}_.][\p{L}\p{N}\p{M} _.:/@+-]*$/u;

/** Checks the name of `--session`. Throws a usage error. */
export function checkSessionName(name: string): string {
  if (name.length <= MAX_NAME && NAME.test(name)) return name;
  throw usageError(
    `--session "${name}" is not a name: use at most ${MAX_NAME} letters, digits, spaces and . _ : / @ + -`,
  );
}

/** The names of `--session`. Each has its own small file, like the last sessions. */
export class SessionNames {
  readonly #base: string;

  constructor(io: UserEnvironment) {
    this.#base = join(stateFolder(io), "named-sessions");
  }

  /** The id of the session with a name; undefined if there is none. */
  async find(agent: string, cwd: string, name: string): Promise<string | undefined> {
    return (await read(this.#file(agent, cwd, name)))?.sessionId;
  }

  async remember(agent: string, cwd: string, { name, sessionId }: SessionName): Promise<void> {
    const entry = { version: 1, agent, cwd, name, sessionId };
    await writeAtomically(this.#file(agent, cwd, name), `${JSON.stringify(entry)}\n`);
  }

  async forget(agent: string, cwd: string, name: string): Promise<void> {
    await rm(this.#file(agent, cwd, name), { force: true });
  }

  /** All names of an agent, in one folder or, without one, in all. Never rejects. */
  async all(
    agent: string,
    cwd: string | undefined,
  ): Promise<readonly (SessionName & { readonly cwd: string })[]> {
    const files = await readdir(this.#base).catch(() => []);
    const found = await Promise.all(files.map((file) => read(join(this.#base, file))));
    return found.flatMap((one) =>
      one?.agent === agent && (cwd === undefined || one.cwd === cwd) ? [one] : [],
    );
  }

  #file(agent: string, cwd: string, name: string): string {
    return join(this.#base, `${hash(`${agent}\0${cwd}\0${name}`)}.json`);
  }
}

async function read(
  file: string,
): Promise<(SessionName & { readonly agent: string; readonly cwd: string }) | undefined> {
  try {
    const value: unknown = JSON.parse((await readIfPresent(file)) ?? "");
    if (!isJsonObject(value)) return undefined;
    const { agent, cwd, name, sessionId } = value;
    if (typeof agent !== "string" || typeof cwd !== "string") return undefined;
    if (typeof name !== "string" || typeof sessionId !== "string") return undefined;
    return { agent, cwd, name, sessionId };
  } catch {
    return undefined;
  }
}
