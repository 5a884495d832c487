import {
  AcpClient,
  localTerminals,
  type PermissionDecision,
  type PermissionRequest,
  type Session,
  type PromptTurn,
} from "../../../src/entries/dragoman.ts";
import { processesWithHome } from "../../support/droid/leftovers.ts";
import { ModelServer } from "../../../src/conformance/scripted-model/index.ts";
import { FrameChecker } from "../../support/schema.ts";
import { createAgentHome, type AgentHome } from "./home.ts";
import type { AgentRecipe, Question } from "./recipe.ts";

export interface RigOptions {
  /** How the client answers for a missing file. Default: as in the recipe. */
  readonly missingFile?: "error" | "empty";
  /** The version of the protocol. Default: 1. */
  readonly protocol?: 1 | 2;
}

/** How the client's permission function answers the next questions. */
export type Answer =
  | PermissionDecision
  | ((request: PermissionRequest) => Promise<PermissionDecision>);

/** One agent with a client that offers everything, a scripted model, and a record of its requests. */
export class Rig {
  readonly recipe: AgentRecipe;
  readonly model: ModelServer;
  readonly home: AgentHome;
  /** The methods of the agent's requests since the last session was opened. */
  readonly requests: string[] = [];
  /** Checks everything that the client writes, by the schema of its version. */
  checker = new FrameChecker("client", "unstable");
  /** The permission requests since the last session was opened. */
  readonly asked: PermissionRequest[] = [];
  answer: Answer = "allow";
  readonly #options: RigOptions;
  #client: AcpClient | undefined;

  static async start(recipe: AgentRecipe, options: RigOptions = {}): Promise<Rig> {
    const model = await ModelServer.start();
    const rig = new Rig(recipe, model, await createAgentHome(recipe, model.url), options);
    try {
      await rig.open();
    } catch (error) {
      await rig.dispose();
      throw error;
    }
    return rig;
  }

  private constructor(
    recipe: AgentRecipe,
    model: ModelServer,
    home: AgentHome,
    options: RigOptions,
  ) {
    this.recipe = recipe;
    this.model = model;
    this.home = home;
    this.#options = options;
  }

  get client(): AcpClient {
    if (!this.#client) throw new Error("the agent was not started");
    return this.#client;
  }

  /** Ends the agent and starts it again, with the same home. */
  async restart(): Promise<void> {
    await this.end();
    await this.recipe.beforeLoad?.(this.home.home);
    await this.open();
  }

  async open(): Promise<void> {
    const { command, args, overlay } = this.home;
    const missingFile = this.#options.missingFile ?? this.recipe.missingFile ?? "error";
    const { protocol = 1 } = this.#options;
    this.checker = new FrameChecker("client", protocol === 1 ? "unstable" : "v2 unstable");
    this.#client = await AcpClient.start({
      command,
      args,
      protocol,
      // Neither the folder of a session nor that of the tests, which has files that agents would read.
      cwd: this.home.home,
      env: overlay,
      capabilities: { fs: { readTextFile: true, writeTextFile: true } },
      fs: { missingFile },
      // Commands get the environment of the agent, not that of the tests.
      terminal: localTerminals({ env: overlay }),
      // Some agents are slow on a busy machine.
      timeouts: { startMs: 180_000, cancelGraceMs: 60_000 },
      permissions: { policy: "read", ask: (request) => this.#decide(request) },
      tap: ({ direction, line }) => {
        this.checker.saw(direction === "in" ? "agent" : "client", line);
        if (direction === "in") this.#record(line);
      },
    });
  }

  /** Closes the previous session, clears the record, and opens a new session in its own folder. */
  async session(files: Readonly<Record<string, string>> = {}): Promise<Session> {
    for (const session of this.client.sessions) await session.close();
    const cwd = await this.home.workspace(files);
    const session = await this.client.newSession({ cwd });
    this.requests.length = 0;
    this.asked.length = 0;
    this.answer = "allow";
    return session;
  }

  /** The subjects of the permission requests, as named in the recipes. */
  get questions(): readonly Question[] {
    return this.asked.map(({ subject }) => questions[subject.type]);
  }

  /** Ends the agent. Throws if any of its processes is still running. */
  async end(): Promise<void> {
    if (!this.#client) return;
    await this.#client.close();
    this.#client = undefined;
    const left = await processesWithHome(this.home.home);
    if (left.length > 0) throw new Error(`still running: ${left.join(", ")}`);
  }

  async dispose(): Promise<void> {
    try {
      await this.end();
    } finally {
      await this.model.close();
      await this.home.remove();
    }
  }

  async #decide(request: PermissionRequest): Promise<PermissionDecision> {
    this.asked.push(request);
    return typeof this.answer === "function" ? this.answer(request) : this.answer;
  }

  #record(line: string): void {
    const frame: unknown = JSON.parse(line);
    if (typeof frame !== "object" || frame === null || !("id" in frame)) return;
    if ("method" in frame && typeof frame.method === "string") this.requests.push(frame.method);
  }
}

const questions: Record<PermissionRequest["subject"]["type"], Question> = {
  tool_call: "tool call",
  read_file: "read",
  write_file: "write",
  terminal: "command",
};

/** Reads a turn until its text contains `expected`. */
export async function until(turn: PromptTurn, expected: string): Promise<AsyncIterator<unknown>> {
  const updates = turn[Symbol.asyncIterator]();
  let text = "";
  while (!text.includes(expected)) {
    const next = await updates.next();
    if (next.done === true) throw new Error(`the turn ended with the text "${text}"`);
    text += next.value.text;
  }
  return updates;
}
