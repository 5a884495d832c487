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
import { NOT_FOUND, refuse, type AgentRequest, type Answerer, type Reply } from "./reply.ts";

const OUTPUT_BYTES = 1_000_000;

/** One terminal that the agent created. */
export interface ClientTerminal {
  readonly id: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
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
  readonly #cwd: () => string;
  readonly #env: EnvOverlay;

  constructor(cwd: () => string, env: EnvOverlay) {
    this.#cwd = cwd;
    this.#env = env;
  }

  /** All terminals of the connection, oldest first. */
  get all(): readonly ClientTerminal[] {
    return [...this.#held.values()];
  }

  readonly answer: Answerer = (request) => {
    switch (request.method) {
      case "terminal/create":
        return this.#create(request);
      case "terminal/output":
        return this.#with(request, async ({ running }) => ({
          result: {
            ...running.output(),
            ...(running.exit && { exitStatus: exitOf(running.exit) }),
          },
        }));
      case "terminal/wait_for_exit":
        return this.#with(request, async ({ running }) => ({
          result: exitOf(await running.exited),
        }));
      case "terminal/kill":
        return this.#with(request, async ({ running }) => {
          await running.kill();
          return { result: {} };
        });
      case "terminal/release":
        return this.#with(request, async (terminal) => {
          terminal.released += 1;
          await terminal.running.release();
          return { result: {} };
        });
      default:
        return undefined;
    }
  };

  /** Ends every command. */
  async close(): Promise<void> {
    await Promise.all([...this.#held.values()].map(({ running }) => running.release()));
  }

  async #create({ params }: AgentRequest): Promise<Reply> {
    const command = stringField(params, "command") ?? "";
    const args = stringsField(params, "args");
    const cwd = stringField(params, "cwd") ?? this.#cwd();
    const env = objectsField(params, "env").map(({ name, value }) => [String(name), String(value)]);
    try {
      const running = await startCommand({
        command,
        args,
        cwd,
        env: { ...this.#env, ...Object.fromEntries(env) },
        outputBytes: numberField(params, "outputByteLimit") ?? OUTPUT_BYTES,
      });
      const id = `terminal-${this.#held.size + 1}`;
      this.#held.set(id, { id, command, args, cwd, released: 0, usedAfterRelease: [], running });
      return { result: { terminalId: id } };
    } catch (error) {
      return refuse(-32603, `cannot start the command: ${String(error)}`);
    }
  }

  #with(request: AgentRequest, run: (terminal: Held) => Promise<Reply>): Reply | Promise<Reply> {
    const terminal = this.#held.get(stringField(request.params, "terminalId") ?? "");
    if (!terminal) return refuse(NOT_FOUND, "there is no such terminal");
    if (terminal.released === 0) return run(terminal);
    terminal.usedAfterRelease.push(request.method);
    if (request.method === "terminal/release") terminal.released += 1;
    return refuse(NOT_FOUND, "the terminal was released");
  }
}

function exitOf({ code, signal }: ExitStatus): { exitCode: number | null; signal: string | null } {
  return { exitCode: code, signal };
}
