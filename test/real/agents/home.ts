import { ScratchPlace } from "../../../src/conformance/check/subject/home.ts";
import type { EnvOverlay } from "../../../src/base/index.ts";
import { modulesOf } from "./install.ts";
import type { AgentRecipe } from "./recipe.ts";

/** A home in the temp folder, set up for one agent, and the command that starts the agent in it. */
export interface AgentHome {
  readonly home: string;
  readonly command: string;
  readonly args: readonly string[];
  /** The agent's whole environment. Of the caller's it contains only the PATH. */
  readonly env: Readonly<Record<string, string>>;
  /** The same as an overlay on the caller's environment. */
  readonly overlay: EnvOverlay;
  /** Creates a folder to work in, with these files. */
  workspace(files?: Readonly<Record<string, string>>): Promise<string>;
  remove(): Promise<void>;
}

export async function createAgentHome(recipe: AgentRecipe, modelUrl: string): Promise<AgentHome> {
  const place = await ScratchPlace.create();
  const { home } = place;
  const setup = recipe.setUp({ home, modelUrl });
  await place.write(setup.files ?? {});
  const overlay = { ...place.env(), ...setup.env };
  const set = Object.entries(overlay).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  );
  return {
    ...recipe.start(modulesOf(recipe.name)),
    home,
    env: Object.fromEntries(set),
    overlay,
    workspace: (files) => place.workspace(files),
    remove: () => place.remove(),
  };
}
