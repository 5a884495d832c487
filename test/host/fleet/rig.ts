// A fleet for tests: workers with an agent that does as its prompts say, and a tenant.
import { execFileSync } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { type AgentDefinition, serveAgent } from "../../../src/agent/index.ts";
import {
  type FleetClient,
  fleetClient,
  type FleetEngine,
  type FleetHost,
  type FleetWorker,
  type FollowedEntry,
  type FleetEntry,
  memoryFleet,
  startWorker,
  type WorkerEvent,
  type WorkerOptions,
} from "../../../src/host/fleet/index.ts";
import { SHORT_LIMITS } from "./contract.ts";
import type { HubAgent } from "../../../src/host/hub/index.ts";
import { asObject, objectField, stringField } from "../../../src/base/index.ts";
import { memoryPair } from "../../../src/transport/wire/index.ts";

/** An agent that keeps its sessions as long as the test, and everything that it was asked. */
export interface TestAgent extends HubAgent {
  /** The texts of all prompts that reached the agent. */
  readonly prompts: string[];
  /** The MCP servers of each time that a session was opened. */
  readonly mcpServers: (readonly unknown[])[];
  /** How many of its processes are running. */
  running: number;
}

export interface TestAgentOptions {
  readonly canLoad?: boolean;
  /** What it does in its folder when a prompt says `act`. */
  readonly act?: (cwd: string) => Promise<void>;
}

/**
 * `say N` answers with N pieces of text, `call N` makes tool calls, `json TEXT` answers with JSON, `write NAME` writes a file, `wait` goes on until it is cancelled, `ask` asks for permission,
 * and everything else is repeated.
 */
export function testAgent(name = "test", options: TestAgentOptions = {}): TestAgent {
  const known = new Map<string, readonly string[]>();
  const agent: TestAgent = {
    name,
    key: name,
    prompts: [],
    mcpServers: [],
    running: 0,
    open: async () => {
      const [near, far] = memoryPair();
      agent.running++;
      void near.closed.then(() => agent.running--);
      void serveAgent(near, definition(agent, known, options));
      return far;
    },
  };
  return agent;
}

interface LoadedSession {
  readonly sessionId: string;
  readonly mcpServers: readonly unknown[];
}

function definition(
  agent: TestAgent,
  known: Map<string, readonly string[]>,
  { canLoad = true, act }: TestAgentOptions,
): AgentDefinition<{ readonly id: string; readonly cwd: string }> {
  return {
    info: { name: "test", version: "1" },
    mcpCapabilities: { http: true },
    newSession: ({ cwd, mcpServers }) => {
      agent.mcpServers.push(mcpServers);
      return { id: `session-${known.size + 1}`, cwd };
    },
    sessionId: ({ id }) => id,
    ...(canLoad
      ? {
          async *loadSession({ sessionId, mcpServers }: LoadedSession) {
            agent.mcpServers.push(mcpServers);
            yield { sessionUpdate: "agent_message_chunk", content: { type: "text", text: "old" } };
            return { id: sessionId, cwd: "/" };
          },
        }
      : {}),
    async prompt(turn) {
      const { text } = turn;
      agent.prompts.push(text);
      known.set(turn.session.state.id, agent.prompts);
      const [word, count] = text.split(" ");
      switch (word) {
        case "say":
          for (let index = 0; index < Number(count); index++) await turn.say(`${index} `);
          return "end_turn";
        case "write":
          await writeFile(join(turn.session.state.cwd, count ?? ""), "written\n");
          await turn.say("done");
          return "end_turn";
        case "act":
          await act?.(turn.session.state.cwd);
          await turn.say("done");
          return "end_turn";
        case "wait": {
          await turn.say("waiting");
          await new Promise<void>((resolve) => {
            turn.signal.addEventListener("abort", () => resolve(), { once: true });
          });
          return "cancelled";
        }
        case "json":
          await turn.say(text.split("\n")[0]?.slice("json ".length) ?? "");
          return "end_turn";
        case "Your":
          // An answer did not match its schema.
          await turn.say('{"ok":true}');
          return "end_turn";
        case "call":
          for (let index = 0; index < Number(count); index++) {
            await turn.toolCall({ title: `call ${index}` });
          }
          return "end_turn";
        case "ask": {
          const answer = await turn.askPermission({ title: "May I?", kind: "execute" });
          await turn.say(answer.allowed ? "allowed" : "denied");
          return "end_turn";
        }
        default:
          await turn.say(text);
          return "end_turn";
      }
    },
  };
}

/** A worker that is closed with its test, and its events. */
export async function testWorker(
  options: Pick<WorkerOptions, "engine" | "host"> & Partial<WorkerOptions>,
): Promise<{ readonly worker: FleetWorker; readonly events: WorkerEvent[] }> {
  const events: WorkerEvent[] = [];
  const worker = await startWorker({
    pool: "pool",
    agents: [testAgent()],
    onEvent: (event) => events.push(event),
    ...options,
  });
  onTestFinished(() => worker.close());
  return { worker, events };
}

/** A tenant with one session, and what its log has. */
export class TestTenant {
  readonly client: FleetClient;
  readonly session: string;
  #prompts = 0;

  constructor(client: FleetClient, session: string) {
    this.client = client;
    this.session = session;
  }

  /** Sends a prompt with an id of its own, and resolves with that id. */
  async prompt(text: string, id = `p${++this.#prompts}`): Promise<string> {
    const prompt = [{ type: "text", text }];
    await this.client.prompt(this.session, { id, by: "me", prompt });
    return id;
  }

  /** Reads the log until an entry fits, and resolves with it. */
  async until<T extends FleetEntry["type"]>(
    type: T,
    fits: (entry: Extract<FleetEntry, { type: T }>) => boolean = () => true,
  ): Promise<Extract<FleetEntry, { type: T }>> {
    const isType = (entry: FleetEntry): entry is Extract<FleetEntry, { type: T }> =>
      entry.type === type;
    for await (const { entry } of this.client.read(this.session, { follow: true })) {
      if (isType(entry) && fits(entry)) return entry;
    }
    throw new Error(`the log has no ${type}`);
  }

  /** The end of a prompt. */
  ended(id: string): Promise<Extract<FleetEntry, { type: "turn_ended" }>> {
    return this.until("turn_ended", (entry) => entry.id === id);
  }

  async run(text: string): Promise<Extract<FleetEntry, { type: "turn_ended" }>> {
    return this.ended(await this.prompt(text));
  }

  async log(): Promise<readonly FollowedEntry[]> {
    const entries: FollowedEntry[] = [];
    for await (const entry of this.client.read(this.session)) entries.push(entry);
    return entries;
  }

  /** The types of the log's entries, without text. */
  async types(): Promise<readonly string[]> {
    return (await this.log()).map(({ entry }) => entry.type).filter((type) => type !== "update");
  }

  /** Everything that the agent said. */
  async text(): Promise<string> {
    return (await this.log()).map(({ entry }) => textOf(entry)).join("");
  }
}

/** The text of an update. */
export function textOf(entry: FleetEntry): string {
  if (entry.type !== "update") return "";
  const content = objectField(asObject(entry.params["update"]), "content");
  return (content && stringField(content, "text")) ?? "";
}

export async function testTenant(
  engine: FleetEngine,
  options: { readonly agent?: string } = {},
): Promise<TestTenant> {
  const client = fleetClient(engine, "tenant");
  const { agent = "test" } = options;
  return new TestTenant(client, await client.create({ pool: "pool", agent, cwd: "/" }));
}

/** How long tests wait for what other processes do. */
export const WAIT = { timeout: 10_000, interval: 20 };

/** Connections to a fleet in memory with short limits. */
export function shortFleet(maxWork = 100): () => FleetEngine {
  const memory = memoryFleet({ limits: { ...SHORT_LIMITS, maxWork } });
  return () => memory.connect();
}

/** A fleet with a worker and a tenant. */
export async function startedFleet(options: Partial<WorkerOptions> = {}) {
  const connect = shortFleet();
  const [engine, agent] = [connect(), testAgent()];
  const started = await testWorker({ engine, host: "a", agents: [agent], ...options });
  return { connect, engine, agent, ...started, tenant: await testTenant(connect()) };
}

/** The report of a worker without work. */
export function hostReport(host: string, more: Partial<FleetHost> = {}): FleetHost {
  const load = { sessions: 0, maxSessions: 10, turns: 0, jobs: 0, unacknowledged: 0 };
  const folders = { agents: ["a"], roots: [], volume: host };
  return { host, pool: "p", ...folders, ...load, isDraining: false, reportedAt: 0, ...more };
}

/** Runs git as a user that only tests have. */
export function git(cwd: string, ...args: readonly string[]): string {
  const user = ["-c", "user.name=test", "-c", "user.email=test@example.org"];
  return execFileSync("git", [...user, ...args], { cwd, encoding: "utf8" });
}

/** A repository `repo` in a folder, with one file. */
export async function testRepository(folder: string): Promise<string> {
  const repository = join(folder, "repo");
  git(folder, "init", "--quiet", repository);
  await writeFile(join(repository, "a.txt"), "first\n");
  git(repository, "add", "--all");
  git(repository, "commit", "--quiet", "-m", "first");
  return repository;
}
