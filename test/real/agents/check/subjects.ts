import { readFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import {
  type Baseline,
  checkAgent,
  type CheckReport,
  commandSubject,
  parseBaseline,
} from "../../../../src/conformance/check/index.ts";
import { requirementsFor } from "../../../../src/conformance/index.ts";
import { modelRecipeFor } from "../../../../src/conformance/scripted-model/index.ts";
import { ensurePackages } from "../../../support/npm-packages.ts";
import { newestExample } from "../../clients/clients/sdk-example.ts";
import { modulesOf as modulesOfClient } from "../../clients/program.ts";
import { modulesOf } from "../install.ts";
import type { AgentRecipe } from "../recipe.ts";
import { recipes } from "../recipes.ts";

/** An agent that `dragoman check` checks. Its baseline has the same name. */
export interface AgentToCheck {
  readonly name: string;
  readonly version: string;
  readonly command: () => { readonly command: string; readonly args: readonly string[] };
  /** The folder that its start needs in front of the PATH. */
  readonly path?: string | undefined;
  /** Requirements that it breaks in some runs only, because of a race in it. */
  readonly races?: readonly string[] | undefined;
}

const RACES: Readonly<Partial<Record<AgentRecipe["name"], readonly string[]>>> = {
  "claude-zed": ["DRA-LOAD-04"],
  // A load fails in the minute in which the session began, and only a later one replays diffs.
  gemini: ["DRA-LOAD-04", "DRA-TOOL-07"],
  kimi: ["DRA-TOOL-05"],
  opencode: ["DRA-CAN-01"],
  qwen: ["DRA-LOAD-05"],
};

const EXAMPLE = "@agentclientprotocol/sdk/dist/examples/agent.js";

/** The six agents of the catalogue, and the example agent of the official SDK. */
export const agentsToCheck: readonly AgentToCheck[] = [
  ...recipes.map((recipe) => ({
    name: recipe.name,
    version: recipe.version,
    command: () => recipe.start(modulesOf(recipe.name)),
    path: join(modulesOf(recipe.name), recipe.bin),
    races: RACES[recipe.name],
  })),
  {
    name: "sdk-example",
    version: newestExample.version,
    command: () => ({
      command: process.execPath,
      args: [join(modulesOfClient("sdk-example"), EXAMPLE)],
    }),
  },
];

/** Installs the example agent, which is in the same package as the example client. */
export async function ensureExample(): Promise<void> {
  const { install, version } = newestExample;
  if (!install) throw new Error("the example has no package");
  const folder = join(modulesOfClient(install.folder), "..");
  await ensurePackages(folder, { ...install, version });
}

/** The violations that are known. */
export async function baselineOf({ name }: AgentToCheck): Promise<Baseline> {
  const file = fileURLToPath(new URL(`../baselines/${name}.json`, import.meta.url));
  const known = new Set(requirementsFor("agent", 1).map(({ id }) => id));
  return parseBaseline(await readFile(file, "utf8"), known);
}

/** Checks an agent by all requirements, with the scripted model if it can use one. */
export async function checkOne({ name, command, path }: AgentToCheck): Promise<CheckReport> {
  const env: Record<string, string> =
    path === undefined ? {} : { PATH: [path, process.env["PATH"]].join(delimiter) };
  return checkAgent({
    subject: commandSubject({ name, ...command(), env, recipe: modelRecipeFor(name) }),
  });
}
