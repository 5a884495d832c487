// Runs sessions on a fleet whose processes are killed at random, and compares every log with what the
// agents really sent.
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { expect } from "vitest";
import { connectNats, type FleetEngine, fleetClient } from "../../../../src/host/fleet/index.ts";
import { buildBin, bundle } from "../../../apps/cli/support/bin.ts";
import { processEnv } from "../../../apps/cli/support/process.ts";
import { scratch } from "../../../apps/cli/support/run.ts";
import { createDroidHome } from "../../../support/droid/home.ts";
import { ensureDroid, newestDroid } from "../../../support/droid/install.ts";
import { processesWithHome } from "../../../support/droid/leftovers.ts";
import { ModelServer, text } from "../../../../src/conformance/scripted-model/index.ts";
import { randomFrom } from "../../../support/soak.ts";
import type { ChaosPrompt } from "./client.ts";
import { ClientProcess, type ClientProcessOptions, ClientRecord } from "./client-process.ts";
import { ChaosFleet, TOKEN } from "./fleet.ts";
import { readRecords, textOfUpdate } from "./records.ts";

export interface ChaosPlan {
  readonly demoSessions: number;
  readonly droidSessions: number;
  readonly kills: number;
  readonly seed: number;
}

export interface ChaosReport {
  readonly prompts: number;
  readonly done: number;
  readonly unknown: number;
  readonly notRun: number;
  readonly entries: number;
  readonly connections: number;
  readonly kills: Readonly<Record<string, number>>;
  readonly seconds: number;
}

/** A process with a client in it is as large as one with many. */
const CLIENTS_PER_PROCESS = 12;
/** The time between two kills, in which sessions get on. */
const BETWEEN_MS = 2000;
/** How much text all sessions together produce: more than two cores can store would only fill queues. */
const PIECES_PER_SECOND = 800;
const PIECES_PER_PROMPT = 40;

/** Runs the plan, and fails if a promise of the fleet is broken. */
export async function chaos(plan: ChaosPlan): Promise<ChaosReport> {
  const startedAt = performance.now();
  const [folders, bin, droidAcp] = [await scratch(), await buildBin(), await buildBin("droid-acp")];
  const client = await bundle("test/host/fleet/chaos/client-main.ts");
  const model = await ModelServer.start([], { fallback: text("one two three four five") });
  const home = await createDroidHome({ modelUrl: model.url });
  const droid = {
    command: [process.execPath, droidAcp.file, "--model", home.modelId],
    env: { ...home.env, DROID_EXECUTABLE: await ensureDroid(newestDroid) },
  };
  const demo = {
    command: [process.execPath, bin.file, "demo-agent"],
    env: { DRAGOMAN_DEMO_STATE: join(folders.home, "demo") },
  };
  const fleet = await ChaosFleet.start({
    setup: { bin: bin.file, folders },
    agents: plan.droidSessions > 0 ? { chaos: demo, droid } : { chaos: demo },
    maxSessions: plan.demoSessions + plan.droidSessions,
  });
  const engine = await connectNats({ servers: fleet.servers.urls });
  const clients = clientsOf(plan);
  const processes = processesOf(clients, {
    file: client.file,
    env: processEnv(folders),
    token: TOKEN,
    ports: () => fleet.ports,
  });
  try {
    for (const one of processes) {
      one.start();
      // One after the other: each session starts an agent, and all of them at once would take every core.
      await until(processes, () => one.records.every(({ prompts }) => prompts.length > 0));
    }
    const kills = await killWhile(plan, fleet, engine, processes);
    await settled(engine);
    const entries = await verify(fleet, engine, clients);
    const prompts = clients.flatMap((client) => client.prompts);
    const count = (outcome: ChaosPrompt["outcome"]): number =>
      prompts.filter((prompt) => prompt.outcome === outcome).length;
    return {
      prompts: prompts.length,
      done: count("done"),
      unknown: count("unknown"),
      notRun: count("not_run"),
      entries,
      connections: clients.reduce((sum, { connections }) => sum + connections, 0),
      kills,
      seconds: Math.round((performance.now() - startedAt) / 1000),
    };
  } finally {
    for (const one of processes) one.end();
    await engine.close();
    const codes = await fleet.close();
    await model.close();
    expect(codes, fleet.notes).toEqual(codes.map(() => 0));
    expect(await processesWithHome(folders.home), "processes left over").toEqual([]);
    expect(await processesWithHome(home.home), "Droids left over").toEqual([]);
    const scratches = [folders, bin, droidAcp, client, home];
    await Promise.all(scratches.map((one) => one.remove()));
  }
}

function clientsOf({ demoSessions, droidSessions }: ChaosPlan): readonly ClientRecord[] {
  const clients = (count: number, agent: string, prefix: string): readonly ClientRecord[] =>
    Array.from({ length: count }, (_, at) => {
      return new ClientRecord({ name: `${agent}${at}`, agent, prefix });
    });
  const pieceMs = Math.ceil((1000 * demoSessions) / PIECES_PER_SECOND);
  return [
    ...clients(demoSessions, "chaos", `/slow ${PIECES_PER_PROMPT} ${pieceMs} `),
    ...clients(droidSessions, "droid", "count, "),
  ];
}

/** Divides the clients among processes, a few of each agent in each. */
function processesOf(
  clients: readonly ClientRecord[],
  options: ClientProcessOptions,
): readonly ClientProcess[] {
  const count = Math.ceil(clients.length / CLIENTS_PER_PROCESS);
  return Array.from({ length: count }, (_, index) => {
    return new ClientProcess(
      clients.filter((__, at) => at % count === index),
      options,
    );
  });
}

/** Resolves when all clients have ended. Rejects if one fails. */
async function allOf(processes: readonly ClientProcess[]): Promise<void> {
  await Promise.all(processes.map(({ done }) => done));
}

/** Resolves once a condition holds. Rejects if a client fails. */
async function until(processes: readonly ClientProcess[], condition: () => boolean): Promise<void> {
  const running = allOf(processes);
  while (!condition()) await Promise.race([pause(100), running]);
}

/** Kills at random while the clients work. Resolves with the kills of each kind. */
async function killWhile(
  plan: ChaosPlan,
  fleet: ChaosFleet,
  engine: FleetEngine,
  processes: readonly ClientProcess[],
): Promise<Readonly<Record<string, number>>> {
  const random = randomFrom(plan.seed);
  const running = allOf(processes);
  const kills: Record<string, number> = { server: 0, worker: 0, gateway: 0, client: 0 };
  const pick = (most: number): number => Math.floor(random() * most);
  for (let kill = 0; kill < plan.kills; kill++) {
    await Promise.race([pause(BETWEEN_MS), running]);
    // Each kind comes up, however few kills there are.
    const kind = Object.keys(kills)[kill < 4 ? kill : pick(4)] ?? "";
    kills[kind] = (kills[kind] ?? 0) + 1;
    if (kind === "server") await fleet.killServer(pick(3), engine);
    else if (kind === "worker") await fleet.killWorker(pick(3));
    else if (kind === "gateway") await fleet.killGateway(pick(2));
    else await processes[pick(processes.length)]?.kill();
    for (const one of processes) one.update();
  }
  for (const one of processes) one.finish();
  await running;
  return kills;
}

/** Resolves once no session has a running turn. */
async function settled(engine: FleetEngine): Promise<void> {
  const fleet = fleetClient(engine, "chaos");
  while ((await fleet.list()).some(({ isBusy }) => isBusy)) await pause(250);
}

/** Compares every log with what the agents sent and the clients got. Resolves with the number of entries. */
async function verify(
  fleet: ChaosFleet,
  engine: FleetEngine,
  clients: readonly ClientRecord[],
): Promise<number> {
  const records = readRecords(fleet.records);
  let entries = 0;
  for (const client of clients) {
    const log = await readLog(engine, client.session ?? "");
    entries += log.entries;
    for (const { position, text: received } of client.received) {
      expect(log.texts.get(position), `${client.name} at ${position}`).toBe(received);
    }
    const positions = client.received.map(({ position }) => position);
    // Each once, in order, and nothing in between is missing.
    const last = positions.at(-1) ?? 0;
    const expected = [...log.texts.keys()].filter((position) => position <= last);
    expect(positions, client.name).toEqual(expected);
    for (const prompt of client.prompts) verifyPrompt(prompt, log.turns, records);
  }
  for (const [prompt, { runs }] of records) expect(runs, prompt).toBe(1);
  return entries;
}

function verifyPrompt(
  { id, text: prompt, outcome }: ChaosPrompt,
  turns: ReadonlyMap<string, LoggedTurn>,
  records: ReturnType<typeof readRecords>,
): void {
  const turn = turns.get(id);
  const record = records.get(prompt);
  expect(turn?.ends, id).toBe(1);
  switch (outcome) {
    case "done":
      expect(turn?.text, id).toBe(record?.text);
      expect(turn?.text, id).not.toBe("");
      return;
    case "unknown":
      // The agent may have said more than was stored. Nothing in between is missing.
      expect((record?.text ?? "").startsWith(turn?.text ?? ""), id).toBe(true);
      return;
    case "not_run":
      expect(record, id).toBeUndefined();
  }
}

interface LoggedTurn {
  text: string;
  ends: number;
}

async function readLog(engine: FleetEngine, session: string) {
  const texts = new Map<number, string>();
  const turns = new Map<string, LoggedTurn>();
  let entries = 0;
  let running: LoggedTurn | undefined;
  for await (const { position, entry } of fleetClient(engine, "chaos").read(session)) {
    entries++;
    if (entry.type === "prompt") turns.set(entry.id, { text: "", ends: 0 });
    if (entry.type === "turn_started") running = turns.get(entry.id);
    if (entry.type === "turn_ended") {
      const turn = turns.get(entry.id);
      if (turn) turn.ends++;
    }
    if (entry.type !== "update") continue;
    const said = textOfUpdate(entry.params);
    if (said !== "") texts.set(position, said);
    if (running) running.text += said;
  }
  return { texts, turns, entries };
}
