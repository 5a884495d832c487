/** A client in a process of its own that starts an agent as editors do, and can be killed. */
import { spawn, type ChildProcess } from "node:child_process";
import { createInterface } from "node:readline";
import { deferred, type Deferred, isJsonObject, type JsonObject } from "../../../src/base/index.ts";
import { agentPath } from "../../support/agents/bundle.ts";

/** The error that a request was answered with. */
export class Answer extends Error {
  readonly code: unknown;
  readonly data: unknown;

  constructor({ code, message, data }: JsonObject) {
    super(String(message));
    this.code = code;
    this.data = data;
  }
}

/** The connection ended before the answer came. */
export class Gone extends Error {}

export interface EditorOptions {
  /** The agent's command, or the one in its place. */
  readonly command: readonly [string, ...string[]];
  /** The file that gets the id of its process. */
  readonly pidFile: string;
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** Answers the requests of the agent. A promise that never settles leaves them open. */
  readonly answer: (method: string, params: JsonObject) => Promise<unknown>;
}

export class Editor {
  /** The updates of all sessions, in order. */
  readonly updates: JsonObject[] = [];
  /** Resolves with the exit code of the agent's command, or of this client if it is killed. */
  readonly ended: Promise<number | null>;
  readonly #child: ChildProcess;
  readonly #options: EditorOptions;
  readonly #open = new Map<number, Deferred<JsonObject>>();
  readonly #waiters = new Set<() => void>();
  #stderr = "";
  #lastId = 0;

  constructor(options: EditorOptions) {
    const { command, pidFile, env, cwd } = options;
    this.#options = options;
    const child = spawn(process.execPath, [agentPath("editor.mjs"), pidFile, ...command], {
      env,
      cwd,
    });
    this.#child = child;
    child.stdin.on("error", () => {});
    child.stderr.on("data", (chunk: Buffer) => (this.#stderr += chunk.toString()));
    createInterface({ input: child.stdout }).on("line", (line) => this.#receive(line));
    // Not "exit", so that every line has been read.
    this.ended = new Promise((resolve) => {
      child.once("close", (code) => {
        for (const call of this.#open.values()) call.reject(new Gone(this.stderr));
        this.#open.clear();
        this.#wake();
        resolve(code);
      });
    });
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  get stderr(): string {
    return this.#stderr;
  }

  call(method: string, params: JsonObject): Promise<JsonObject> {
    const id = this.#lastId++;
    const answer = deferred<JsonObject>();
    answer.promise.catch(() => {});
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) {
      answer.reject(new Gone(this.stderr));
    } else {
      this.#open.set(id, answer);
      this.#send({ id, method, params });
    }
    return answer.promise;
  }

  notify(method: string, params: JsonObject): void {
    this.#send({ method, params });
  }

  async initialize(): Promise<JsonObject> {
    const clientInfo = { name: "editor", version: "1" };
    return this.call("initialize", { protocolVersion: 1, clientCapabilities: {}, clientInfo });
  }

  async newSession(cwd: string): Promise<string> {
    const { sessionId } = await this.call("session/new", { cwd, mcpServers: [] });
    return String(sessionId);
  }

  prompt(sessionId: string, text: string): Promise<JsonObject> {
    return this.call("session/prompt", { sessionId, prompt: [{ type: "text", text }] });
  }

  /** Resolves once the updates fulfil a condition, or the connection has ended. */
  async until(isFulfilled: (updates: readonly JsonObject[]) => boolean): Promise<void> {
    while (!isFulfilled(this.updates) && this.#child.exitCode === null) {
      await new Promise<void>((resolve) => this.#waiters.add(resolve));
    }
  }

  /** The text of the agent's messages in a session, from an index of the updates on. */
  text(sessionId: string, from = 0): string {
    return this.updates
      .slice(from)
      .filter((params) => params["sessionId"] === sessionId)
      .map((params) => textIn(params["update"], "agent_message_chunk"))
      .join("");
  }

  kill(signal: NodeJS.Signals = "SIGKILL"): void {
    this.#child.kill(signal);
  }

  /** Closes the agent's stdin, as an editor that ends in order. */
  end(): void {
    this.#child.stdin?.end();
  }

  #send(frame: JsonObject): void {
    this.#child.stdin?.write(`${JSON.stringify({ jsonrpc: "2.0", ...frame })}\n`);
  }

  #receive(line: string): void {
    const frame: unknown = JSON.parse(line);
    if (!isJsonObject(frame)) throw new Error(`not a frame: ${line}`);
    const { id, method, params, result, error } = frame;
    if (typeof method === "string") {
      const given = isJsonObject(params) ? params : {};
      if (method === "session/update") this.updates.push(given);
      else if (id !== undefined) void this.#answer(id, method, given);
    } else {
      const call = typeof id === "number" ? this.#open.get(id) : undefined;
      if (!call) throw new Error(`an answer to no request: ${line}`);
      this.#open.delete(Number(id));
      if (isJsonObject(error)) call.reject(new Answer(error));
      else call.resolve(isJsonObject(result) ? result : {});
    }
    this.#wake();
  }

  async #answer(id: unknown, method: string, params: JsonObject): Promise<void> {
    this.#send({ id, result: await this.#options.answer(method, params) });
  }

  #wake(): void {
    for (const waiter of this.#waiters) waiter();
    this.#waiters.clear();
  }
}

/** The text of an update, if it is of this kind. */
export function textIn(update: unknown, kind: string): string {
  if (!isJsonObject(update) || update["sessionUpdate"] !== kind) return "";
  const { content } = update;
  const text = isJsonObject(content) ? content["text"] : undefined;
  return typeof text === "string" ? text : "";
}
