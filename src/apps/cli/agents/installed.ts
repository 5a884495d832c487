import { readdir, stat } from "node:fs/promises";
import { delimiter, dirname, join, isAbsolute, resolve } from "node:path";
import {
  isStringMap,
  asObject,
  dataFolder,
  isStringList,
  parseJsonObject,
  type UserEnvironment,
  writeAtomically,
  isExecutable,
} from "../../../base/index.ts";
import { readIfPresent } from "../settings/files.ts";
import type { Io } from "../shell/io.ts";
import type { CatalogueEntry } from "./catalogue.ts";

export interface InstalledAgent {
  readonly name: string;
  readonly title: string;
  readonly version: string;
  /** The absolute path of its program. */
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** The folder of this version, below the folder of the agent. */
  readonly folder: string;
  /** The hash of the package or archive. */
  readonly integrity: string;
  /** The registry that it came from, as the user named it; undefined for the catalogue. */
  readonly registry: string | undefined;
}

/** A name is also the name of a folder. */
export const AGENT_NAME = /^[a-z][a-z0-9-]*$/;

export function agentFolder(user: UserEnvironment, name: string): string {
  return join(dataFolder(user), "agents", name);
}

const MANIFEST = "agent.json";

/** The agent that Dragoman has installed under this name; undefined if there is none. */
export async function installedAgent(
  user: UserEnvironment,
  name: string,
): Promise<InstalledAgent | undefined> {
  if (!AGENT_NAME.test(name)) return undefined;
  const file = join(agentFolder(user, name), MANIFEST);
  const text = await readIfPresent(file).catch(() => undefined);
  const agent = text === undefined ? undefined : parsed(text);
  if (agent === undefined || agent.name !== name) return undefined;
  const exists = await stat(agent.command).then(
    () => true,
    () => false,
  );
  return exists ? agent : undefined;
}

export async function installedAgents(user: UserEnvironment): Promise<readonly InstalledAgent[]> {
  const folder = dirname(agentFolder(user, "any"));
  const names = await readdir(folder).catch((): string[] => []);
  const agents = await Promise.all(names.toSorted().map((name) => installedAgent(user, name)));
  return agents.filter((agent) => agent !== undefined);
}

export async function writeManifest(user: UserEnvironment, agent: InstalledAgent): Promise<void> {
  const file = join(agentFolder(user, agent.name), MANIFEST);
  await writeAtomically(file, `${JSON.stringify({ manifest: 1, ...agent }, undefined, 2)}\n`);
}

/** The variables of an installed agent: its own, and the programs of its packages on the PATH. */
export function environmentOf(
  { command, env }: InstalledAgent,
  { env: outer }: UserEnvironment,
): Readonly<Record<string, string>> {
  return { ...env, PATH: [dirname(command), outer["PATH"] ?? ""].join(delimiter) };
}

function parsed(text: string): InstalledAgent | undefined {
  const { manifest, name, title, version, command, args, env, folder, integrity, registry } =
    asObject(parseJsonObject(text));
  const isComplete =
    manifest === 1 &&
    typeof name === "string" &&
    typeof title === "string" &&
    typeof version === "string" &&
    typeof command === "string" &&
    typeof folder === "string" &&
    typeof integrity === "string";
  if (!isComplete || !isStringList(args) || !isStringMap(env)) return undefined;
  const from = typeof registry === "string" ? registry : undefined;
  return { name, title, version, command, args, env, folder, integrity, registry: from };
}

/** The path that the system would start a command from; undefined if it would not find the command. */
export async function findCommand(
  command: string,
  io: Pick<Io, "env" | "platform" | "cwd">,
): Promise<string | undefined> {
  const windows = io.platform === "win32";
  const extensions = windows
    ? ["", ...(io.env["PATHEXT"] ?? ".COM;.EXE;.BAT;.CMD").split(";")]
    : [""];
  const isPath = command.includes("/") || (windows && command.includes("\\"));
  const folders = isPath ? [""] : pathOf(io.env).split(delimiter);
  for (const folder of folders) {
    if (folder === "" && !isPath) continue;
    for (const extension of extensions) {
      const path = isAbsolute(command) ? command : resolve(io.cwd, join(folder, command));
      if (await isExecutable(path + extension)) return path + extension;
    }
  }
  return undefined;
}

/** Whether every command that a catalogued agent needs is installed. */
export async function isInstalled(
  entry: CatalogueEntry,
  io: Pick<Io, "env" | "platform" | "cwd" | "home">,
): Promise<boolean> {
  const own = typeof entry.command === "string" ? [entry.command] : [];
  for (const need of entry.needs ?? own) {
    const named = entry.searchPaths === undefined ? undefined : io.env[entry.searchPaths.variable];
    const folders = entry.searchPaths?.folders.map((folder) => join(io.home, folder, need)) ?? [];
    const candidates = named === undefined || named === "" ? [need, ...folders] : [named];
    const found = await Promise.all(candidates.map((candidate) => findCommand(candidate, io)));
    if (found.every((path) => path === undefined)) return false;
  }
  return true;
}

/** On Windows the variable may be spelled `Path`. */
function pathOf(env: Io["env"]): string {
  return env["PATH"] ?? env["Path"] ?? "";
}
