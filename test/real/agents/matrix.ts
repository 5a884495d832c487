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
export const cliTitles = {
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

/** Renders the page; undefined if an outcome is missing, such as after a run with only some agents. */
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

We test the client library with six agents from npm. The tests use the library as an application would, and a scripted model on loopback replaces the real one. The test run writes this page:

\`\`\`sh
npm run test:agents                  # all agents, about ten minutes
npm run test:agents -- -t kimi       # one agent; does not change this page
\`\`\`

The first run installs the agents next to the lock files under \`test/real/agents/packages\`, about one gigabyte in total. The tests are not part of \`npm test\` and need Linux x64. Each agent gets placeholder keys and its own home in the temp folder. All except qwen can reach only loopback.`;

const legend = `## Results

Every agent passes every scenario; the cells show how. "Through the client" means that the agent uses \`fs/*\` and \`terminal/*\` for files and commands, so that the client's permission policy and workspace jail apply. The policy and the jail cannot control what an agent does "by itself". The client offers files and terminals to every agent.

Each scenario checks that the file was really read, written or changed, that the command ran in the session's folder, and that the model received the result. After a cancel and after a denial, the session answers the next prompt. Cancelling mid-stream also ends the request to the model. Cancelling while a permission request is open answers that request with \`cancelled\`, and the command does not run. A loaded session remembers the conversation. Closing an agent leaves none of its processes running. \`dragoman -a NAME\` finds the agents on the PATH by their catalogue names.`;
