import { table } from "../../support/doc-section.ts";
import {
  scenarioNames,
  scenarioTitles,
  type AgentRecipe,
  type Hand,
  type Observed,
  type Question,
  type ScenarioName,
} from "./recipe.ts";

declare module "vitest" {
  interface TaskMeta {
    /** One cell of the matrix in docs/interop.md. */
    interop?: { readonly agent: string; readonly scenario: RowName; readonly outcome: string };
  }
}

/** The rows for the command line. */
const cliTitles = {
  cliAnswer: "command line: a prompt",
  cliWrite: "command line: `--write`",
  cliResume: "command line: `--resume`",
  cliInterrupt: "command line: Ctrl-C",
} as const;

const cliNames = ["cliAnswer", "cliWrite", "cliResume", "cliInterrupt"] as const;

export type RowName = ScenarioName | keyof typeof cliTitles;

/** Describes the outcome of a scenario in a few words. */
export const describeObserved: { readonly [S in ScenarioName]: (seen: Observed[S]) => string } = {
  plan: ({ entries }) => (entries.length === 0 ? "no plan" : `${entries.length} entries`),
  read: ({ by }) => hands[by],
  write: ({ asked, by }) => `${questions(asked)}, ${hands[by]}`,
  edit: ({ asked, by, diffPaths }) => `${questions(asked)}, ${hands[by]}, ${diffs(diffPaths)}`,
  shell: ({ asked, by }) => `${questions(asked)}, ${hands[by]}`,
  cancelMidStream: ({ stopReason }) => `\`${stopReason}\``,
  cancelWhileAsked: ({ stopReason }) => `\`${stopReason}\``,
  reject: ({ stopReason, modelGoesOn, toolCall }) =>
    `\`${stopReason}\`, ${modelGoesOn ? "the model continues" : "the turn stops"}, call ${toolCall}`,
  load: ({ replays, inTime }) =>
    `replays ${replays.join(", ")}${inTime ? "" : " after its answer"}`,
};

const hands: Record<Hand, string> = { client: "through the client", agent: "by itself" };

function questions(asked: readonly Question[]): string {
  if (asked.length === 0) return "not asked";
  return asked.length === 1 ? "asked once" : `asked about ${asked.join(" and ")}`;
}

function diffs(paths: Observed["edit"]["diffPaths"]): string {
  return paths.length === 0 ? "no diff" : `diff with ${paths.join(" and ")} path`;
}

/** The outcome of a scenario with an agent; undefined unless it has run and passed. */
export type OutcomeOf = (agent: string, scenario: RowName) => string | undefined;

/** Renders the section of the page; undefined if an outcome is missing, such as after a run with only some agents. */
export function renderAgents(
  recipes: readonly AgentRecipe[],
  outcomeOf: OutcomeOf,
): string | undefined {
  const rows: string[][] = [];
  for (const scenario of [...scenarioNames, ...cliNames]) {
    const cells: string[] = [titles[scenario]];
    for (const recipe of recipes) {
      const outcome = outcomeOf(recipe.name, scenario);
      if (outcome === undefined) return undefined;
      cells.push(reasonOf(recipe, scenario) === undefined ? outcome : `${outcome} (see below)`);
    }
    rows.push(cells);
  }
  const packages = recipes.map((recipe) => [recipe.name, `\`${recipe.package}\``, recipe.version]);
  return [
    table(["agent", "npm package", "version"], packages),
    table(["", ...recipes.map(({ name }) => name)], rows),
    ...recipes.map(remarks),
  ].join("\n\n");
}

const titles: Readonly<Record<RowName, string>> = { ...scenarioTitles, ...cliTitles };

function reasonOf({ reasons }: AgentRecipe, name: RowName): string | undefined {
  return Object.entries(reasons).find(([scenario]) => scenario === name)?.[1];
}

function remarks(recipe: AgentRecipe): string {
  const reasons = scenarioNames.flatMap((scenario) => {
    const reason = recipe.reasons[scenario];
    return reason === undefined ? [] : [`- ${scenarioTitles[scenario]}: it ${reason}.`];
  });
  return [`### ${recipe.name}`, "", ...reasons, ...recipe.quirks.map((quirk) => `- ${quirk}`)].join(
    "\n",
  );
}
