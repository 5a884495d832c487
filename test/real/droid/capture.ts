import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DroidClient, findExecutable, readVersion } from "../../../src/entries/droid.ts";
import type { TapEvent } from "../../../src/entries/wire.ts";
import { within } from "../../../src/wire/async.ts";
import { parseTranscript, replay, type TranscriptEntry } from "../../droid/replay.ts";
import { createDroidHome, type DroidHome } from "../../support/droid/home.ts";
import { ModelServer, text } from "../../support/model/index.ts";
import { eventDifferences, inAll, traitDifferences, traitsOf } from "./difference.ts";
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
  /** The Droid to be looked at. */
  readonly executable: string;
  /** Where the known transcripts are. */
  readonly transcripts: string;
  /** Where the new ones go. */
  readonly out: string;
  readonly newest: string;
  readonly say: (line: string) => void;
}

/** Against a version that waits for what never comes. The slowest scenario takes 20 s of 0.225. */
const LIMIT_MS = 120_000;

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

/** Runs every scenario of the newest known version, writes what came, and says how it differs. */
export async function capture(options: CaptureOptions): Promise<void> {
  const { executable, transcripts, out, newest, say } = options;
  const known = await readKnown(transcripts, newest);
  if (known.size === 0) throw new Error(`there are no transcripts of ${newest} in ${transcripts}`);
  const version = await readVersion(await findExecutable(executable));
  if (version === undefined) throw new Error(`${executable} does not tell a version: is it Droid?`);
  await mkdir(out, { recursive: true });
  say(`Droid ${version} against ${newest}, ${known.size} scenarios, in two or three minutes:`);
  const seen: TranscriptEntry[] = [];
  const differing = new Map<string, readonly string[]>();
  for (const names of bySession([...known.keys()], (name) => known.get(name) ?? [])) {
    for (const run of await runSession(options, names, known)) {
      const title = run.name.slice(0, -newest.length - 1);
      const file = join(out, `${title}-${version}.jsonl`);
      await writeFile(file, run.entries.map((entry) => `${JSON.stringify(entry)}\n`).join(""));
      seen.push(...run.entries);
      if (run.differences.length > 0) differing.set(title, run.differences);
      say(`  ${title}: ${run.differences.length === 0 ? "as known" : "differs"}`);
    }
  }
  say("");
  say(`${known.size - differing.size} of ${known.size} scenarios are as in ${newest}.`);
  const { throughout, rest } = inAll(differing);
  if (throughout.length > 0) say("In most of the others it");
  for (const line of throughout) say(`    ${line}`);
  for (const [title, lines] of rest) {
    say(`In ${title} it`);
    for (const line of lines) say(`    ${line}`);
  }
  const traits = traitDifferences(traitsOf([...known.values()].flat()), traitsOf(seen));
  const lacking = await probeMethods(options);
  say(traits.length + lacking.length === 0 ? "The frames have the same fields." : "On the wire");
  for (const line of [...traits, ...lacking]) say(`    ${line}`);
  say(`The transcripts are in ${out}.`);
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
  const answers = answersIn(all);
  const runs: Run[] = [];
  for (const name of names) {
    const { turns } = await replay(known.get(name) ?? []);
    const running = repeat({ droid, model, home, answers }, name, turns);
    if (!(await within(running, LIMIT_MS))) {
      const differences = ["has not come to an end within two minutes, and was given up"];
      return [...runs, { name, entries, differences }];
    }
    const again = await running;
    const differences = turns.flatMap((turn, index) => {
      const { events = [], outcome } = again[index] ?? {};
      const lines = eventDifferences(shape(turn.events, home), shape(events, home));
      return outcome === turn.outcome
        ? lines
        : [...lines, `ends as ${outcome}, not as ${turn.outcome}`];
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
