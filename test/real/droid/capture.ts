import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DroidClient, type DroidEvent } from "../../../src/droid/index.ts";
import type { TapEvent } from "../../../src/wire/index.ts";
import { shapeOf } from "../../droid/format.ts";
import { parseTranscript, replay, type TranscriptEntry } from "../../droid/replay.ts";
import { createDroidHome, type DroidHome } from "../../support/droid/home.ts";
import { ModelServer, text } from "../../support/model/index.ts";
import { eventDifferences, traitDifferences, traitsOf } from "./difference.ts";
import {
  answersIn,
  bySession,
  modeIn,
  normalized,
  NOT_REPEATABLE,
  prepare,
  promptAgain,
  scriptOf,
  setupOf,
  untilConnected,
} from "./scenario.ts";

export interface CaptureOptions {
  /** The Droid to be looked at. */
  readonly executable: string;
  /** Where the known transcripts are. */
  readonly transcripts: string;
  /** Where the new ones go. */
  readonly out: string;
  readonly newest: string;
  readonly say: (line: string) => void;
}

/** Harmless methods that versions are told apart by. */
const METHODS = [
  "list_models",
  "list_tools",
  "list_commands",
  "list_skills",
  "get_context_stats",
  "get_context_breakdown",
  "list_mcp_servers",
  "list_mcp_tools",
  "list_mcp_registry",
  "fork_session",
];

/** Runs every repeatable scenario of the newest known version, writes what came, and says how it differs. */
export async function capture(options: CaptureOptions): Promise<void> {
  const { transcripts, out, newest, say } = options;
  await mkdir(out, { recursive: true });
  const known = await readKnown(transcripts, newest);
  const seen: TranscriptEntry[] = [];
  let differing = 0;
  for (const names of bySession([...known.keys()], (name) => known.get(name) ?? [])) {
    for (const run of await runSession(options, names, known)) {
      const title = run.name.slice(0, -newest.length - 1);
      const file = join(out, `${title}-${run.version}.jsonl`);
      await writeFile(file, run.entries.map((entry) => `${JSON.stringify(entry)}\n`).join(""));
      seen.push(...run.entries);
      say(`${title}: ${run.differences.length === 0 ? "as known" : "differs"}`);
      for (const line of run.differences) say(`    ${line}`);
      if (run.differences.length > 0) differing++;
    }
  }
  say("");
  say(`${known.size - differing} of ${known.size} scenarios are as in ${newest}.`);
  const traits = traitDifferences(traitsOf([...known.values()].flat()), traitsOf(seen));
  say(traits.length === 0 ? "The frames have the same fields." : "On the wire:");
  for (const line of traits) say(`    ${line}`);
  for (const line of await probeMethods(options)) say(`    ${line}`);
  say(`The transcripts are in ${out}.`);
}

type Known = ReadonlyMap<string, readonly TranscriptEntry[]>;

async function readKnown(folder: string, newest: string): Promise<Known> {
  const known = new Map<string, readonly TranscriptEntry[]>();
  for (const file of await readdir(folder)) {
    if (!file.endsWith(`-${newest}.jsonl`) || NOT_REPEATABLE.test(file)) continue;
    const entries = parseTranscript(await readFile(join(folder, file), "utf8"));
    known.set(file.slice(0, -".jsonl".length), entries);
  }
  return known;
}

interface Run {
  readonly name: string;
  readonly version: string;
  readonly entries: readonly TranscriptEntry[];
  readonly differences: readonly string[];
}

async function runSession(
  { executable }: CaptureOptions,
  names: readonly string[],
  known: Known,
): Promise<Run[]> {
  // The model is asked once more while a to-do list is not done.
  await using model = await ModelServer.start([], { fallback: text("done") });
  const setup = Object.assign({}, ...names.map((name) => setupOf(name).home));
  await using home = await createDroidHome({ modelUrl: model.url, ...setup });
  await prepare(names, home);
  let entries: TranscriptEntry[] = [];
  const started = performance.now();
  const tap = ({ direction, line }: TapEvent): void => {
    const frame = JSON.parse(normalized([line], home)[0] ?? "") as TranscriptEntry["frame"];
    const t = Math.round(performance.now() - started);
    entries.push({ dir: direction === "in" ? "out" : "in", t, frame });
  };
  const all = names.flatMap((name) => known.get(name) ?? []);
  await using droid = await start(executable, home, tap, modeIn(all));
  if (names.some((name) => name.startsWith("mcp-tool"))) await untilConnected(droid);
  const version = droid.version.cli ?? "unknown";
  const answers = answersIn(all);
  const runs: Run[] = [];
  for (const name of names) {
    const { turns } = await replay(known.get(name) ?? []);
    const differences: string[] = [];
    for (const turn of turns) {
      model.push(...scriptOf(turn, home.workspace));
      const again = promptAgain(droid, name, turn, answers);
      const events: DroidEvent[] = [];
      for await (const event of again) events.push(event);
      const shape = normalized(shapeOf(events), home);
      differences.push(...eventDifferences(normalized(shapeOf(turn.events), home), shape));
      const { reason } = await again.result;
      if (reason !== turn.outcome) differences.push(`ends as ${reason}, not as ${turn.outcome}`);
    }
    runs.push({ name, version, entries, differences });
    entries = [];
  }
  return runs;
}

function start(
  executable: string,
  home: DroidHome,
  tap: ((event: TapEvent) => void) | undefined,
  interactionMode: ReturnType<typeof modeIn>,
): Promise<DroidClient> {
  const env = { ...home.env, FACTORY_API_KEY: undefined };
  const { workspace: cwd, modelId: model } = home;
  return DroidClient.start({ executable, cwd, env, model, autonomy: "off", interactionMode, tap });
}

async function probeMethods({ executable }: CaptureOptions): Promise<string[]> {
  await using model = await ModelServer.start([], { fallback: text("done") });
  await using home = await createDroidHome({ modelUrl: model.url });
  await using droid = await start(executable, home, undefined, undefined);
  await droid.prompt("hello").result;
  const lines: string[] = [];
  for (const method of METHODS) {
    const answer = await droid.request(`droid.${method}`).then(
      () => undefined,
      (error: unknown) => String(error),
    );
    if (answer !== undefined) lines.push(`droid.${method} does not work: ${answer}`);
  }
  return lines;
}
