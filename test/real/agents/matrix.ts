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

/** What is tried on the command line besides. */
export const cliTitles = {
  cliAnswer: "command line: a prompt",
  cliWrite: "command line: `--write`",
  cliResume: "command line: `--resume`",
  cliInterrupt: "command line: Ctrl-C",
} as const;

const cliNames = ["cliAnswer", "cliWrite", "cliResume", "cliInterrupt"] as const;

export type RowName = ScenarioName | keyof typeof cliTitles;

/** What a scenario found out, in a few words. */
export const describeObserved: { readonly [S in ScenarioName]: (seen: Observed[S]) => string } = {
  plan: ({ entries }) => (entries.length === 0 ? "no plan" : `${entries.length} entries`),
  read: ({ by }) => places[by],
  write: ({ asked, by }) => `${questions(asked)}, ${places[by]}`,
  edit: ({ asked, by, diffPaths }) => `${questions(asked)}, ${places[by]}, ${diffs(diffPaths)}`,
  shell: ({ asked, by }) => `${questions(asked)}, ${places[by]}`,
  cancelMidStream: ({ stopReason }) => `\`${stopReason}\``,
  cancelWhileAsked: ({ stopReason }) => `\`${stopReason}\``,
  reject: ({ stopReason, modelGoesOn, toolCall }) =>
    `\`${stopReason}\`, ${modelGoesOn ? "the model is told" : "the turn stops"}, call ${toolCall}`,
  load: ({ replays, inTime }) =>
    `replays ${replays.join(", ")}${inTime ? "" : " after its answer"}`,
};

const places: Record<Hand, string> = { client: "through the client", agent: "by itself" };

function questions(asked: readonly Question[]): string {
  if (asked.length === 0) return "not asked";
  return asked.length === 1 ? "asked once" : `asked about ${asked.join(" and ")}`;
}

function diffs(paths: Observed["edit"]["diffPaths"]): string {
  return paths.length === 0 ? "no diff" : `diff with ${paths.join(" and ")} path`;
}

/** What is known of a scenario with an agent: how it went, if it has run and passed. */
export type OutcomeOf = (agent: string, scenario: RowName) => string | undefined;

/** The page, or undefined if an outcome is missing: after a run of some agents only it stays as it is. */
export function renderPage(
  recipes: readonly AgentRecipe[],
  outcomeOf: OutcomeOf,
): string | undefined {
  const rows: string[] = [];
  for (const scenario of [...scenarioNames, ...cliNames]) {
    const cells: string[] = [titles[scenario]];
    for (const recipe of recipes) {
      const outcome = outcomeOf(recipe.name, scenario);
      if (outcome === undefined) return undefined;
      cells.push(reasonOf(recipe, scenario) === undefined ? outcome : `${outcome} (see below)`);
    }
    rows.push(row(cells));
  }
  const heads = recipes.map(({ name }) => name);
  const table = [row(["", ...heads]), row(["---", ...heads.map(() => "---")]), ...rows].join("\n");
  return [head, packagesOf(recipes), legend, table, ...recipes.map(remarks)].join("\n\n");
}

const titles: Readonly<Record<RowName, string>> = { ...scenarioTitles, ...cliTitles };

function reasonOf({ reasons }: AgentRecipe, name: RowName): string | undefined {
  return Object.entries(reasons).find(([scenario]) => scenario === name)?.[1];
}

function row(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
}

function packagesOf(recipes: readonly AgentRecipe[]): string {
  const lines = recipes.map((recipe) =>
    row([recipe.name, `\`${recipe.package}\``, recipe.version]),
  );
  return [row(["agent", "npm package", "version"]), row(["---", "---", "---"]), ...lines].join(
    "\n",
  );
}

function remarks(recipe: AgentRecipe): string {
  const reasons = scenarioNames.flatMap((scenario) => {
    const reason = recipe.reasons[scenario];
    return reason === undefined ? [] : [`- ${scenarioTitles[scenario]}: it ${reason}.`];
  });
  return [`## ${recipe.name}`, "", ...reasons, ...recipe.quirks.map((quirk) => `- ${quirk}`)].join(
    "\n",
  );
}

const head = `# Interop

Six agents from npm, each driven through the library as an application would drive it, with a scripted model on loopback in the place of the real one. This page is written by the run:

\`\`\`sh
npm run test:agents                  # all of them: about ten minutes
npm run test:agents -- -t kimi       # one of them; the page stays as it is
\`\`\`

The agents are installed next to the lock files under \`test/real/agents/packages\`, the first time only, about one gigabyte together. It is not part of \`npm test\` and runs on Linux x64. Each agent gets a home of its own in the temp folder and placeholders for keys; all but qwen are cut off from everything but loopback.`;

const legend = `## What they do

Every agent passes every scenario. The cells tell how it does it. Files and commands go "through the client" where the agent asks for them by \`fs/*\` and \`terminal/*\`, so that the client's policy and its workspace jail hold; what an agent does "by itself" they cannot hold. All of it is offered to all of them.

In each scenario the file is really read, written or changed, the command has run in the session's folder, and the model was told the result. After a cancel and after a refusal the session answers the next prompt. Cancelling mid-stream ends the call of the model as well; cancelling with an open permission answers it with \`cancelled\`, and the command does not run. A loaded session knows what was said before. When an agent is closed, no process of it is left. On the command line the agents are found on the PATH by the names of the catalogue (\`dragoman -a NAME\`).`;
