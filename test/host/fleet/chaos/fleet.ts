// The processes of a fleet, which are killed at random and started again.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { FleetEngine } from "../../../../src/host/fleet/index.ts";
import { hashToken } from "../../../../src/transport/wire/index.ts";
import {
  type FleetProcess,
  type FleetSetup,
  startFleetProcess,
} from "../../../apps/cli/fleet/processes.ts";
import { type NatsServers, startNats } from "../nats-server.ts";
import { recorded } from "./records.ts";

export const TOKEN = "c".repeat(40);

/** How long the servers may take until every stream has all its replicas again. */
const HEALTHY_MS = 120_000;

export interface ChaosFleetOptions {
  readonly setup: Omit<FleetSetup, "nats">;
  /** The commands of the agents, by name. */
  readonly agents: Readonly<Record<string, ChaosAgent>>;
  readonly maxSessions: number;
}

interface ChaosAgent {
  readonly command: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

export class ChaosFleet {
  readonly servers: NatsServers;
  readonly records: string;
  readonly #setup: FleetSetup;
  readonly #args: Readonly<Record<"worker" | "gateway", readonly string[]>>;
  readonly #workers: FleetProcess[] = [];
  readonly #gateways: FleetProcess[] = [];

  private constructor(servers: NatsServers, options: ChaosFleetOptions) {
    const { folders } = options.setup;
    this.servers = servers;
    this.#setup = { ...options.setup, nats: servers.urls };
    this.records = join(folders.home, "records");
    mkdirSync(this.records);
    const repo = join(folders.cwd, "repo");
    mkdirSync(repo);
    const settings = join(folders.home, "chaos.json");
    const agentServers = Object.fromEntries(
      Object.entries(options.agents).map(([name, { command, env = {} }]) => [
        name,
        { command: "sh", args: recorded(this.records, command), env },
      ]),
    );
    writeFileSync(settings, JSON.stringify({ agent_servers: agentServers }));
    const tokens = join(folders.home, "tokens.json");
    const grant = { name: "chaos", sha256: hashToken(TOKEN) };
    writeFileSync(tokens, JSON.stringify({ version: 1, tokens: [grant] }), { mode: 0o600 });
    const names = Object.keys(options.agents);
    this.#args = {
      worker: [
        "--settings",
        settings,
        "--root",
        `repo=${repo}`,
        "--volume",
        "shared",
        "--max-sessions",
        String(options.maxSessions),
        ...names.flatMap((name) => ["-a", name]),
      ],
      gateway: ["--tokens", tokens, "--max-connections", "1000"],
    };
  }

  static async start(options: ChaosFleetOptions): Promise<ChaosFleet> {
    const fleet = new ChaosFleet(await startNats(3), options);
    for (const index of [0, 1, 2]) await fleet.#startWorker(index);
    for (const index of [0, 1]) await fleet.#startGateway(index);
    return fleet;
  }

  /** The ports of the gateways. */
  get ports(): readonly number[] {
    return this.#gateways.map(({ port }) => port);
  }

  /** The output of the processes. */
  get notes(): string {
    return [...this.#workers, ...this.#gateways].map((running) => running.err()).join("\n");
  }

  /** Kills a server, and starts it again. Resolves once every stream has all its replicas. */
  async killServer(index: number, engine: FleetEngine): Promise<void> {
    const node = this.servers.nodes[index];
    await node?.kill();
    await node?.restart();
    await healthy(engine);
  }

  async killWorker(index: number): Promise<void> {
    await this.#workers[index]?.kill("SIGKILL");
    await this.#startWorker(index);
  }

  async killGateway(index: number): Promise<void> {
    await this.#gateways[index]?.kill("SIGKILL");
    await this.#startGateway(index);
  }

  /** Ends everything in an orderly way. Resolves with the exit codes. */
  async close(): Promise<readonly (number | null)[]> {
    const running = [...this.#gateways, ...this.#workers];
    const exits = await Promise.all(running.map((one) => one.kill("SIGTERM")));
    await this.servers.close();
    return exits.map(({ code }) => code);
  }

  async #startWorker(index: number): Promise<void> {
    const args = [...this.#args.worker, "--worker-name", `w${index + 1}`];
    this.#workers[index] = await startFleetProcess(this.#setup, "worker", args);
  }

  async #startGateway(index: number): Promise<void> {
    this.#gateways[index] = await startFleetProcess(this.#setup, "gateway", this.#args.gateway);
  }
}

/** Resolves once every stream has a leader and two replicas that have everything. */
export async function healthy(engine: FleetEngine): Promise<void> {
  const until = performance.now() + HEALTHY_MS;
  let last = "";
  while (performance.now() < until) {
    const stores = await engine.health().catch(() => []);
    const isHealthy = stores.every(
      ({ leader, replicas }) =>
        leader !== undefined && replicas.length === 2 && replicas.every((one) => one.isCurrent),
    );
    if (stores.length > 0 && isHealthy) return;
    last = JSON.stringify(stores);
    await pause(250);
  }
  throw new Error(`the servers are not healthy: ${last}`);
}
