import {
  numberField,
  objectsField,
  startCommand,
  stringField,
  stringsField,
  type EnvOverlay,
  type ExitStatus,
  type RunningCommand,
} from "../../../../wire/index.ts";
import type { ClientAnswer, SubjectRequest, RequestAnswerer } from "../../../harness/incoming.ts";
import { NOT_FOUND } from "./files.ts";

const OUTPUT_BYTES = 1_000_000;

/** One terminal that the agent created. */
export interface ClientTerminal {
  readonly id: string;
  readonly command: string;
  readonly args: readonly string[];
  /** The position of the request that created it. */
  readonly n: number;
  /** How often the agent released it. */
  released: number;
  /** The methods that the agent called on it after the release. */
  readonly usedAfterRelease: string[];
}

interface Held extends ClientTerminal {
  readonly running: RunningCommand;
}

/** The terminals of the checking client. They run real commands. */
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

  /** Ends every command. */
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

  async #create({ params, n }: SubjectRequest): Promise<ClientAnswer> {
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
      this.#held.set(id, { id, command, args, n, released: 0, usedAfterRelease: [], running });
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
