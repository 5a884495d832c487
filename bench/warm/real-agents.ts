import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createDroidHome } from "../../test/support/droid/home.ts";
import { ModelServer, text } from "../../src/conformance/scripted-model/index.ts";
import { ensurePackages } from "../../test/support/npm-packages.ts";
import { gemini, kimi } from "../../test/real/agents/recipes.ts";

/** A real agent with a scripted model, in a home of its own. */
export interface RealAgent {
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  remove(): Promise<void>;
}

const RECIPES = { kimi, gemini };

/** The paths of this repository, because this file is bundled and runs elsewhere. */
export interface Repository {
  readonly root: string;
  readonly droidAcp: string;
  readonly droid: string;
}

/** Installs an agent if it is missing. Rejects if that fails. */
export async function installAgent(name: string, { root }: Repository): Promise<void> {
  if (name !== "kimi" && name !== "gemini") return;
  await ensurePackages(join(root, "test/real/agents/packages", name), RECIPES[name]);
}

/** Prepares an agent whose model gives this many answers. */
export async function prepareAgent(
  name: string,
  repository: Repository,
  answers: number,
): Promise<RealAgent> {
  const model = await ModelServer.start(Array.from({ length: answers }, () => text("Done.")));
  if (name === "kimi" || name === "gemini") return prepareRecipe(name, repository, model);
  const home = await createDroidHome({ modelUrl: model.url });
  const { droidAcp, droid } = repository;
  return {
    command: [process.execPath, droidAcp, "--droid", droid, "--model", home.modelId],
    env: home.env,
    cwd: home.workspace,
    remove: async () => {
      await model.close();
      await home.remove();
    },
  };
}

async function prepareRecipe(
  name: keyof typeof RECIPES,
  { root }: Repository,
  model: ModelServer,
): Promise<RealAgent> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "dragoman-warm-")));
  const [home, cwd] = [join(folder, "home"), join(folder, "project")];
  await Promise.all([mkdir(home), mkdir(cwd)]);
  const modules = join(root, "test/real/agents/packages", name, "node_modules");
  const start = RECIPES[name].start(modules);
  const setup = RECIPES[name].setUp({ home, modelUrl: model.url });
  for (const [path, content] of Object.entries(setup.files ?? {})) {
    await mkdir(dirname(join(home, path)), { recursive: true });
    await writeFile(join(home, path), content);
  }
  return {
    command: [start.command, ...start.args],
    env: { PATH: process.env["PATH"] ?? "/usr/bin:/bin", HOME: home, ...setup.env },
    cwd,
    remove: async () => {
      await model.close();
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
