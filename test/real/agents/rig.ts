import {
  AcpClient,
  localTerminals,
  type PermissionDecision,
  type PermissionRequest,
  type Session,
  type PromptTurn,
} from "../../../src/entries/dragoman.ts";
import { processesWithHome } from "../../support/droid/leftovers.ts";
import { ModelServer } from "../../support/model/index.ts";
import { createAgentHome, type AgentHome } from "./home.ts";
import type { AgentRecipe, Question } from "./recipe.ts";

export interface RigOptions {
  /** How a missing file is answered; as the recipe has it unless told. */
  readonly missingFile?: "error" | "empty";
}

/** What the host's permission function says to the next questions. */
export type Answer =
  | PermissionDecision
  | ((request: PermissionRequest) => Promise<PermissionDecision>);

/** One agent with all that a host offers it, its scripted model, and a record of what it asks for. */
export class Rig {
  readonly recipe: AgentRecipe;
  readonly model: ModelServer;
  readonly home: AgentHome;
  /** The requests of the agent, by method, since the last session was begun. */
  readonly requests: string[] = [];
  /** What the permission function was asked, since the last session was begun. */
  readonly asked: PermissionRequest[] = [];
  answer: Answer = "allow";
  readonly #options: RigOptions;
  #client: AcpClient | undefined;
  #workspaces = 0;

  static async start(recipe: AgentRecipe, options: RigOptions = {}): Promise<Rig> {
    const model = await ModelServer.start();
    const rig = new Rig(recipe, model, await createAgentHome(recipe, model.url), options);
    try {
      await rig.begin();
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
    await this.begin();
  }

  async begin(): Promise<void> {
    const { command, args, overlay } = this.home;
    const missingFile = this.#options.missingFile ?? this.recipe.missingFile ?? "error";
    this.#client = await AcpClient.start({
      command,
      args,
      // Not the folder of any session, and not the tests' own, which has files that agents heed.
      cwd: this.home.home,
      env: overlay,
      capabilities: { fs: { readTextFile: true, writeTextFile: true } },
      fs: { missingFile },
      // Its commands get the agent's environment: theirs is not the business of the tests' host.
      terminal: localTerminals({ env: overlay }),
      // Some take their time on a busy machine.
      timeouts: { start: 180_000, cancelGrace: 60_000 },
      permissions: { policy: "read", ask: (request) => this.#decide(request) },
      tap: ({ direction, line }) => {
        if (direction === "in") this.#note(line);
      },
    });
  }

  /** Begins a session in a folder of its own, and closes the one before. The record begins anew. */
  async session(files: Readonly<Record<string, string>> = {}): Promise<Session> {
    for (const session of this.client.sessions) await session.close();
    this.#workspaces += 1;
    const cwd = await this.home.workspace(`workspace-${this.#workspaces}`, files);
    const session = await this.client.newSession({ cwd });
    this.requests.length = 0;
    this.asked.length = 0;
    this.answer = "allow";
    return session;
  }

  /** What was asked about, in the recipes' words. */
  get questions(): readonly Question[] {
    return this.asked.map(({ subject }) => questions[subject.type]);
  }

  /** Ends the agent. Throws if anything of it is left running. */
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

  #note(line: string): void {
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

/** Reads a turn until the agent has said this much. */
export async function until(turn: PromptTurn, said: string): Promise<AsyncIterator<unknown>> {
  const updates = turn[Symbol.asyncIterator]();
  let text = "";
  while (!text.includes(said)) {
    const next = await updates.next();
    if (next.done === true) throw new Error(`the turn ended with "${text}"`);
    text += next.value.text;
  }
  return updates;
}
