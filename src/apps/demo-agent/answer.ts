import { counted } from "../../base/index.ts";
import type { PlanEntry } from "../../protocol/acp/index.ts";
import { readWorkspaceFile, type DemoTurn } from "./files.ts";
import { search, searchQuery, type SearchHit, type SearchResult } from "./search.ts";
import { type Section, type Overview, overviewOf } from "./overview.ts";

const MAX_HITS = { short: 8, full: 25 };
const MAX_FILES_READ = 4;

/** Answers a plain prompt by searching the workspace for its words. */
export async function answer(turn: DemoTurn): Promise<void> {
  const { cwd, state } = turn.session;
  const question = searchQuery(turn.text);
  const steps = ["Read the README and manifest", "Search the files", "Read the best matches"];
  const planAt = (at: number): Promise<void> => turn.plan(toPlan(steps, at));

  await planAt(0);
  const overview = await overviewOf(cwd, (path) => readWorkspaceFile(turn, path));

  await planAt(1);
  const quoted = question.words.map((word) => `"${word}"`).join(", ");
  const searching = await turn.toolCall({
    title: quoted === "" ? "List the workspace" : `Search the workspace for ${quoted}`,
    kind: "search",
    rawInput: { words: question.words },
  });
  const found = await search(cwd, question.words, MAX_HITS[state.detail], turn.signal);
  await searching.complete({
    locations: found.hits.map(({ path, line }) => ({ path, line })),
    rawOutput: {
      files: found.filesRead,
      matchingFiles: found.filesMatched,
      matchingLines: found.linesMatched,
    },
  });

  await planAt(2);
  const hits = await rereadHits(turn, found.hits);
  await planAt(3);

  const intro = question.aboutProject || hits.length === 0 ? introduce(overview, cwd) : "";
  if (intro !== "") await turn.say(intro);
  if (hits.length > 0) {
    await turn.say(`${intro === "" ? "" : "\n\n"}The best matches for ${quoted}:\n`);
    for (const hit of hits) await turn.say(`\n- ${format(hit, state.quotes)}`);
  } else if (overview.sections.length > 0) {
    await turn.say("\n\nWhere to read more:\n");
    const sections = overview.sections.slice(0, MAX_HITS[state.detail]);
    for (const section of sections) await turn.say(`\n- ${format(section, state.quotes)}`);
  }
  await turn.say(`\n\n${summarise(found, question.words)}`);
}

/**
 * Reads the best-matching files again through the client, whose editor may have unsaved changes. A
 * line that moved gets its new number, and a line that is gone is dropped.
 */
async function rereadHits(
  turn: DemoTurn,
  hits: readonly SearchHit[],
): Promise<readonly SearchHit[]> {
  if (!turn.client.can("fs.readTextFile")) return hits;
  const files = [...new Set(hits.map((hit) => hit.path))].slice(0, MAX_FILES_READ);
  const gone = new Set<SearchHit>();
  const moved = new Map<SearchHit, SearchHit>();
  for (const path of files) {
    const hitsInFile = hits.filter((hit) => hit.path === path);
    const name = hitsInFile[0]?.name ?? path;
    const call = await turn.toolCall({
      title: `Read ${name}`,
      kind: "read",
      locations: hitsInFile.map(({ line }) => ({ path, line })),
    });
    const text = await readWorkspaceFile(turn, path);
    if (text === undefined) {
      await call.fail();
      continue;
    }
    await call.complete();
    const lines = text.split("\n");
    for (const hit of hitsInFile) {
      const at = lines.findIndex((line) => line.trim().startsWith(hit.text));
      if (lines[hit.line - 1]?.trim().startsWith(hit.text) === true) continue;
      if (at === -1) gone.add(hit);
      else moved.set(hit, { ...hit, line: at + 1 });
    }
  }
  return hits.filter((hit) => !gone.has(hit)).map((hit) => moved.get(hit) ?? hit);
}

function toPlan(steps: readonly string[], at: number): PlanEntry[] {
  return steps.map((content, index) => ({
    content,
    priority: index === 1 ? "high" : "medium",
    status: index < at ? "completed" : index === at ? "in_progress" : "pending",
  }));
}

/** Describes the project in a few lines. Pure. */
function introduce(overview: Overview, cwd: string): string {
  const { title, description, sources } = overview;
  if (title === undefined && description === undefined) {
    return `This folder (${cwd}) has no README or manifest that describes it.`;
  }
  const from = sources.map(({ name, line }) => `${name}:${line}`).join(", ");
  const head = title === undefined ? "" : `**${title}**\n\n`;
  return `${head}${description ?? "It has no description."}${from === "" ? "" : `\n\n(from ${from})`}`;
}

function format(section: Section, quotes: boolean): string {
  const at = `${section.name}:${section.line}`;
  return quotes ? `${at}  ${section.text}` : at;
}

const MAX_KINDS_SHOWN = 4;

/** Summarises the search in a sentence or two. Pure. */
function summarise(found: SearchResult, words: readonly string[]): string {
  const kinds = [...found.kinds].toSorted((a, b) => b[1] - a[1]).slice(0, MAX_KINDS_SHOWN);
  const breakdown = kinds.map(([kind, count]) => `${count} ${kind}`).join(", ");
  const looked = `I looked at ${counted(found.filesRead, "file")}${breakdown === "" ? "" : ` (${breakdown})`}`;
  const cut = found.cut
    ? " I stopped early: there are more files than I can search in a few seconds."
    : "";
  if (words.length === 0) return `${looked}.${cut}`;
  if (found.linesMatched === 0) return `${looked} and found no matches.${cut}`;
  const hits = `${counted(found.linesMatched, "matching line")} in ${counted(found.filesMatched, "file")}`;
  return `${looked} and found ${hits}.${cut}`;
}
