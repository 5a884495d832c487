import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { type JsonObject, parseJsonObject } from "../../base/index.ts";
import type { DroidNotFoundError } from "../../droid/index.ts";

/** Finds out how Droid can reach a model. Never rejects: a file that cannot be read counts as absent. */
export async function findAccess(home: string, hasApiKey: boolean) {
  const folder = join(home, ".factory");
  const [login, settings, config] = await Promise.all([
    hasLoginFile(folder),
    readObject(join(folder, "settings.json")),
    readObject(join(folder, "config.json")),
  ]);
  // Versions before 0.99 kept the models in config.json, which Droid still reads.
  const ownModel = hasItems(settings["customModels"]) || hasItems(config["custom_models"]);
  return { apiKey: hasApiKey, login, ownModel };
}

type DroidAccess = Awaited<ReturnType<typeof findAccess>>;

export function hasAccess({ apiKey, login, ownModel }: DroidAccess): boolean {
  return apiKey || login || ownModel;
}

/** The message for a person who has no access at all. It lists the missing parts. */
export const NO_ACCESS =
  "Droid has no access to a model: FACTORY_API_KEY is not set in the environment of droid-acp, " +
  "there is no login in ~/.factory, and ~/.factory/settings.json has no customModels. " +
  "Set the key, run `droid-acp --login`, or add an own-key model";

/** Droid stores its login in files that start with `auth`, encrypted or not. */
async function hasLoginFile(folder: string): Promise<boolean> {
  const names = await readdir(folder).catch(() => []);
  return names.some((name) => /^auth\b/.test(name));
}

async function readObject(file: string): Promise<JsonObject> {
  return parseJsonObject(await readFile(file, "utf8").catch(() => "")) ?? {};
}

function hasItems(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0;
}

/** Factory's install command. The CLI's agent catalogue has the same one. */
export const INSTALL = "curl -fsSL https://app.factory.ai/cli | sh";

export function missingDroid({ tried }: DroidNotFoundError) {
  const [only] = tried;
  return {
    what:
      only !== undefined && tried.length === 1
        ? `Droid was not found: there is no executable file at ${only}`
        : "Droid was not found on the PATH or in the usual folders",
    advice: `Install Droid (${INSTALL}), or set its path with DROID_EXECUTABLE or droid-acp --droid.`,
    tried,
  };
}
