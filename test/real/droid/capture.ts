import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DroidClient, findExecutable, readVersion } from "../../../src/entries/droid.ts";
import type { TapEvent } from "../../../src/transport/wire/index.ts";
import { within } from "../../../src/base/async.ts";
import { parseTranscript, replay, type TranscriptEntry } from "../../droid/replay.ts";
import { createDroidHome, type DroidHome } from "../../support/droid/home.ts";
import { ModelServer, text } from "../../../src/conformance/scripted-model/index.ts";
import { eventDifferences, groupDifferences, traitDifferences, traitsOf } from "./difference.ts";
import { repeat, shape, untilConnected } from "./repeat.ts";
import {
  answersIn,
  bySession,
  modeIn,
  normalized,
  NOT_TURNS,
  prepare,
  setupOf,
} from "./scenario.ts";

export interface CaptureOptions {
  /** The Droid to examine. */
  readonly executable: string;
  /** The folder with the known transcripts. */
  readonly transcripts: string;
  /** The folder for the new transcripts. */
  readonly out: string;
  readonly newest: string;
  readonly print: (line: string) => void;
}

/**
 * Limits a version that waits for something that never happens. Droid 0.225 takes 20 s for the
 * slowest scenario.
 */
const LIMIT_MS = 120_000;

/** Harmless methods that distinguish versions. */
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

/** Runs every scenario of the newest known version, writes the transcripts, and prints the differences. */
export async function capture(options: CaptureOptions): Promise<void> {
  const { executable, transcripts, out, newest, print } = options;
  const known = await readKnown(transcripts, newest);
  if (known.size === 0) throw new Error(`no transcripts of ${newest} in ${transcripts}`);
  const version = await readVersion(await findExecutable({ executable }));
  if (version === undefined)
    throw new Error(`could not read the version of ${executable}: is it Droid?`);
  await mkdir(out, { recursive: true });
  print(
    `Comparing Droid ${version} with ${newest}: ${known.size} scenarios, two or three minutes.`,
  );
  const seen: TranscriptEntry[] = [];
  const differing = new Map<string, readonly string[]>();
  for (const names of bySession([...known.keys()], (name) => known.get(name) ?? [])) {
    for (const run of await runSession(options, names, known)) {
      const title = run.name.slice(0, -newest.length - 1);
      const file = join(out, `${title}-${version}.jsonl`);
      await writeFile(file, run.entries.map((entry) => `${JSON.stringify(entry)}\n`).join(""));
      seen.push(...run.entries);
      if (run.differences.length > 0) differing.set(title, run.differences);
      print(`  ${title}: ${run.differences.length === 0 ? "same" : "differs"}`);
    }
  }
  print("");
  print(`${known.size - differing.size} of ${known.size} scenarios are the same as in ${newest}.`);
  const { common, rest } = groupDifferences(differing);
  if (common.length > 0) print("In most of the others, it");
  for (const line of common) print(`    ${line}`);
  for (const [title, lines] of rest) {
    print(`In ${title}, it`);
    for (const line of lines) print(`    ${line}`);
  }
  const traits = traitDifferences(traitsOf([...known.values()].flat()), traitsOf(seen));
  const unsupported = await probeMethods(options);
  print(
    traits.length + unsupported.length === 0
      ? "The frames have the same fields."
      : "In the protocol:",
  );
  for (const line of [...traits, ...unsupported]) print(`    ${line}`);
  print(`The transcripts are in ${out}.`);
}

type Known = ReadonlyMap<string, readonly TranscriptEntry[]>;

async function readKnown(folder: string, newest: string): Promise<Known> {
  const known = new Map<string, readonly TranscriptEntry[]>();
  for (const file of await readdir(folder)) {
    if (!file.endsWith(`-${newest}.jsonl`) || NOT_TURNS.test(file)) continue;
    const entries = parseTranscript(await readFile(join(folder, file), "utf8"));
    known.set(file.slice(0, -".jsonl".length), entries);
  }
  return known;
}

interface Run {
  readonly name: string;
  readonly entries: readonly TranscriptEntry[];
  readonly differences: readonly string[];
}

async function runSession(
  { executable }: CaptureOptions,
  names: readonly string[],
  known: Known,
): Promise<Run[]> {
  // Droid calls the model once more while its to-do list is not done.
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
  const answers = answersIn(all);
  const runs: Run[] = [];
  for (const name of names) {
    const { turns } = await replay(known.get(name) ?? []);
    const running = repeat({ droid, model, home, answers }, name, turns);
    if (!(await within(running, LIMIT_MS))) {
      const differences = ["did not end within two minutes, and was stopped"];
      return [...runs, { name, entries, differences }];
    }
    const repeated = await running;
    const differences = turns.flatMap((turn, index) => {
      const { events = [], outcome } = repeated[index] ?? {};
      const lines = eventDifferences(shape(turn.events, home), shape(events, home));
      return outcome === turn.outcome
        ? lines
        : [...lines, `ends with ${outcome}, not with ${turn.outcome}`];
    });
    runs.push({ name, entries, differences });
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
    await droid.request(`droid.${method}`).catch((error: unknown) => {
      lines.push(error instanceof Error ? error.message : String(error));
    });
  }
  return lines;
}
