import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import {
  numberField,
  objectsField,
  stringField,
  stringsField,
  type EnvOverlay,
  type JsonObject,
  startCommand,
  type ExitStatus,
  type RunningCommand,
} from "../../../../base/index.ts";
import type {
  ClientAnswer,
  SubjectRequest,
  RequestAnswerer,
} from "../../harness/client-answers.ts";
import type { EvidenceFrame } from "../../check-report.ts";

/** The code that says that a file or a terminal does not exist. */
const NOT_FOUND = -32002;

export const MISSING = { error: { code: NOT_FOUND, message: "the file does not exist" } };

/** The files of the checking client: those on disk, and unsaved ones that differ from the disk. */
export class ClientFiles {
  /** The text of files with unsaved changes, by path. */
  readonly unsaved = new Map<string, string>();
  readonly writes: { readonly path: string; readonly content: string }[] = [];
  readonly reads: string[] = [];
  missing: ClientAnswer = MISSING;

  readonly read: RequestAnswerer = async ({ params }) => {
    const path = stringField(params, "path") ?? "";
    this.reads.push(path);
    const text = this.unsaved.get(path) ?? (await readFile(path, "utf8").catch(() => undefined));
    return text === undefined ? this.missing : { result: { content: windowOf(text, params) } };
  };

  readonly write: RequestAnswerer = async ({ params }) => {
    const path = stringField(params, "path") ?? "";
    const content = stringField(params, "content") ?? "";
    this.writes.push({ path, content });
    this.unsaved.delete(path);
    try {
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, content);
      return { result: {} };
    } catch (error) {
      return { error: { code: -32603, message: `cannot write the file: ${String(error)}` } };
    }
  };
}

/** The lines from `line` on, at most `limit` of them. Pure. */
function windowOf(text: string, params: JsonObject): string {
  const line = numberField(params, "line");
  const limit = numberField(params, "limit");
  if (line === undefined && limit === undefined) return text;
  const from = Math.max(1, line ?? 1) - 1;
  const lines = text.split(/(?<=\n)/);
  return lines.slice(from, limit === undefined ? undefined : from + limit).join("");
}

const OUTPUT_BYTES = 1_000_000;

export interface ClientTerminal {
  readonly id: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly frame: EvidenceFrame;
  released: number;
  /** The methods that the agent called on it after the release. */
  readonly usedAfterRelease: string[];
}

interface Held extends ClientTerminal {
  readonly running: RunningCommand;
}

export class ClientTerminals {
  readonly #held = new Map<string, Held>();
  readonly #folderOf: (sessionId: string) => string;
  readonly #env: EnvOverlay;

  /** `folderOf`: the folder of a session, in which commands run if the agent names none. */
  constructor(folderOf: (sessionId: string) => string, env: EnvOverlay) {
    this.#folderOf = folderOf;
    this.#env = env;
  }

  /** All terminals of the connection, oldest first. */
  get all(): readonly ClientTerminal[] {
    return [...this.#held.values()];
  }

  readonly answer: RequestAnswerer = async (request) => {
    if (request.method === "terminal/create") return this.#create(request);
    const terminal = this.#held.get(stringField(request.params, "terminalId") ?? "");
    if (!terminal) return notFound("there is no such terminal");
    if (terminal.released > 0) {
      terminal.usedAfterRelease.push(request.method);
      if (request.method === "terminal/release") terminal.released += 1;
      return notFound("the terminal was released");
    }
    return this.#use(terminal, request.method);
  };

  async close(): Promise<void> {
    await Promise.all([...this.#held.values()].map(({ running }) => running.release()));
  }

  async #use(terminal: Held, method: string): Promise<ClientAnswer> {
    const { running } = terminal;
    switch (method) {
      case "terminal/output": {
        const exit = running.exit && { exitStatus: exitOf(running.exit) };
        return { result: { ...running.output(), ...exit } };
      }
      case "terminal/wait_for_exit":
        return { result: exitOf(await running.exited) };
      case "terminal/kill":
        await running.kill();
        return { result: {} };
      case "terminal/release":
        terminal.released += 1;
        await running.release();
        return { result: {} };
      default:
        return { error: { code: -32601, message: `method not found: ${method}` } };
    }
  }

  async #create({ params, frame }: SubjectRequest): Promise<ClientAnswer> {
    const command = stringField(params, "command") ?? "";
    const args = stringsField(params, "args");
    const env = objectsField(params, "env").map(({ name, value }) => [String(name), String(value)]);
    try {
      const running = await startCommand({
        command,
        args,
        cwd: stringField(params, "cwd") ?? this.#folderOf(stringField(params, "sessionId") ?? ""),
        env: { ...this.#env, ...Object.fromEntries(env) },
        outputBytes: numberField(params, "outputByteLimit") ?? OUTPUT_BYTES,
      });
      const id = `terminal-${this.#held.size + 1}`;
      this.#held.set(id, { id, command, args, frame, released: 0, usedAfterRelease: [], running });
      return { result: { terminalId: id } };
    } catch (error) {
      return { error: { code: -32603, message: `cannot start the command: ${String(error)}` } };
    }
  }
}

function notFound(message: string): ClientAnswer {
  return { error: { code: NOT_FOUND, message } };
}

function exitOf({ code, signal }: ExitStatus): { exitCode: number | null; signal: string | null } {
  return { exitCode: code, signal };
}
