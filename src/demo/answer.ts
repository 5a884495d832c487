import type { PlanEntry } from "../acp/index.ts";
import { readThrough, type DemoTurn } from "./files.ts";
import { overviewOf, type Overview, type Section } from "./search/overview.ts";
import { search, type SearchHit, type SearchResult } from "./search/search.ts";
import { toQuestion } from "./search/words.ts";

const PLACES = { short: 8, full: 25 };
const FILES_READ = 4;

/** Answers a plain prompt with what the workspace has on its words. */
export async function answer(turn: DemoTurn): Promise<void> {
  const { cwd, state } = turn.session;
  const question = toQuestion(turn.text);
  const steps = [
    "Read what the project says of itself",
    "Search the files",
    "Read the best places",
  ];
  const planAt = (at: number): Promise<void> => turn.plan(toPlan(steps, at));

  await planAt(0);
  const overview = await overviewOf(cwd, (path) => readThrough(turn, path));

  await planAt(1);
  const looked = question.words.map((word) => `"${word}"`).join(", ");
  const searching = await turn.toolCall({
    title: looked === "" ? "List the workspace" : `Search the workspace for ${looked}`,
    kind: "search",
    rawInput: { words: question.words },
  });
  const found = await search(cwd, question.words, PLACES[state.detail], turn.signal);
  await searching.complete({
    locations: found.places.map(({ path, line }) => ({ path, line })),
    rawOutput: {
      files: found.filesRead,
      matchingFiles: found.filesMatched,
      matchingLines: found.linesMatched,
    },
  });

  await planAt(2);
  const places = await readPlaces(turn, found.places);
  await planAt(3);

  const intro = question.aboutProject || places.length === 0 ? introduce(overview, cwd) : "";
  if (intro !== "") await turn.say(intro);
  if (places.length > 0) {
    await turn.say(`${intro === "" ? "" : "\n\n"}The best places for ${looked}:\n`);
    for (const place of places) await turn.say(`\n- ${shown(place, state.quotes)}`);
  } else if (overview.sections.length > 0) {
    await turn.say("\n\nWhere to read on:\n");
    const sections = overview.sections.slice(0, PLACES[state.detail]);
    for (const section of sections) await turn.say(`\n- ${shown(section, state.quotes)}`);
  }
  await turn.say(`\n\n${summarise(found, question.words)}`);
}

/**
 * Reads the files of the best places through the client, whose editor may hold what is not saved:
 * a line that has moved is found again, one that is gone is left out.
 */
async function readPlaces(
  turn: DemoTurn,
  places: readonly SearchHit[],
): Promise<readonly SearchHit[]> {
  if (!turn.client.can("fs.readTextFile")) return places;
  const files = [...new Set(places.map((place) => place.path))].slice(0, FILES_READ);
  const gone = new Set<SearchHit>();
  const moved = new Map<SearchHit, SearchHit>();
  for (const path of files) {
    const ofFile = places.filter((place) => place.path === path);
    const name = ofFile[0]?.name ?? path;
    const call = await turn.toolCall({
      title: `Read ${name}`,
      kind: "read",
      locations: ofFile.map(({ line }) => ({ path, line })),
    });
    const text = await readThrough(turn, path);
    if (text === undefined) {
      await call.fail();
      continue;
    }
    await call.complete();
    const lines = text.split("\n");
    for (const place of ofFile) {
      const at = lines.findIndex((line) => line.trim().startsWith(place.text));
      if (lines[place.line - 1]?.trim().startsWith(place.text) === true) continue;
      if (at === -1) gone.add(place);
      else moved.set(place, { ...place, line: at + 1 });
    }
  }
  return places.filter((place) => !gone.has(place)).map((place) => moved.get(place) ?? place);
}

function toPlan(steps: readonly string[], at: number): PlanEntry[] {
  return steps.map((content, index) => ({
    content,
    priority: index === 1 ? "high" : "medium",
    status: index < at ? "completed" : index === at ? "in_progress" : "pending",
  }));
}

/** What the project says of itself, in a few lines. Pure. */
export function introduce(overview: Overview, cwd: string): string {
  const { title, description, sources } = overview;
  if (title === undefined && description === undefined) {
    return `This folder (${cwd}) has no README and no manifest that says what it is.`;
  }
  const from = sources.map(({ name, line }) => `${name}:${line}`).join(", ");
  const head = title === undefined ? "" : `**${title}**\n\n`;
  return `${head}${description ?? "It does not say what it does."}${from === "" ? "" : `\n\n(from ${from})`}`;
}

function shown(place: Section, quotes: boolean): string {
  const at = `${place.name}:${place.line}`;
  return quotes ? `${at}  ${place.text}` : at;
}

const KINDS_SHOWN = 4;

/** What was looked at and found, in a sentence or two. Pure. */
export function summarise(found: SearchResult, words: readonly string[]): string {
  const kinds = [...found.kinds].toSorted((a, b) => b[1] - a[1]).slice(0, KINDS_SHOWN);
  const made = kinds.map(([kind, count]) => `${count} ${kind}`).join(", ");
  const looked = `I looked at ${count(found.filesRead, "file")}${made === "" ? "" : ` (${made})`}`;
  const cut = found.cut ? " There was more than I could look at in a few seconds." : "";
  if (words.length === 0) return `${looked}.${cut}`;
  if (found.linesMatched === 0) return `${looked} and found nothing on it.${cut}`;
  const hits = `${count(found.linesMatched, "line")} in ${count(found.filesMatched, "file")}`;
  return `${looked} and found ${hits}.${cut}`;
}

function count(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? "" : "s"}`;
}
