import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { EnvOverlay } from "../../../src/entries/dragoman.ts";
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
  workspace(name: string, files?: Readonly<Record<string, string>>): Promise<string>;
  remove(): Promise<void>;
}

export async function createAgentHome(recipe: AgentRecipe, modelUrl: string): Promise<AgentHome> {
  // Agents report resolved paths, which would never equal a path through a link.
  const root = await realpath(await mkdtemp(join(tmpdir(), `dragoman-${recipe.name}-`)));
  const home = join(root, "home");
  const temp = join(root, "tmp");
  await mkdir(home);
  await mkdir(temp);
  const start = recipe.start(modulesOf(recipe.name));
  const setup = recipe.setUp({ home, modelUrl });
  await writeAll(home, setup.files ?? {});
  const env = { ...baseEnv(home, temp), ...setup.env };
  const none = Object.fromEntries(Object.keys(process.env).map((name) => [name, undefined]));
  return {
    home,
    command: start.command,
    args: start.args,
    env,
    overlay: { ...none, ...env },
    workspace: async (name, files = {}) => {
      const folder = join(root, name);
      await mkdir(folder);
      await writeAll(folder, files);
      return folder;
    },
    remove: () => rm(root, { recursive: true, force: true, maxRetries: 5 }),
  };
}

async function writeAll(folder: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text);
  }
}

function baseEnv(home: string, temp: string): Record<string, string> {
  return {
    PATH: process.env["PATH"] ?? "/usr/bin:/bin",
    HOME: home,
    XDG_CONFIG_HOME: join(home, ".config"),
    XDG_DATA_HOME: join(home, ".local/share"),
    XDG_STATE_HOME: join(home, ".local/state"),
    XDG_CACHE_HOME: join(home, ".cache"),
    TMPDIR: temp,
    LANG: "C.UTF-8",
    HTTP_PROXY: nowhere,
    HTTPS_PROXY: nowhere,
    NO_PROXY: "127.0.0.1,localhost",
  };
}

/** A proxy that refuses every connection, so that nothing gets beyond loopback. */
const nowhere = "http://127.0.0.1:9";
