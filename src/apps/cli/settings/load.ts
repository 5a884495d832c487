import { hasCode, messageOf } from "../../../base/index.ts";
import { realpath } from "node:fs/promises";
import { isAbsolute, relative, resolve, sep } from "node:path";
import type { Io } from "../shell/io.ts";
import { readGivenFile, unreadableFile, UnusableFileError } from "../shell/regular-file.ts";
import {
  MAX_SETTINGS_BYTES,
  readIfPresent,
  projectSettingsPath,
  userSettingsPath,
} from "./files.ts";
import { preferenceNames, type Preferences } from "./keys.ts";
import type { UnknownField } from "./field.ts";
import { parseSettings, type AgentEntry, type McpEntry, type Settings } from "./schema.ts";
import { type TrustQuestion, TrustStore } from "./trust.ts";

export interface LoadedSettings {
  /** By name, in order of preference. The first agent of the first file is the default. */
  readonly agents: ReadonlyMap<string, AgentEntry & { readonly from: string }>;
  readonly mcpServers: readonly McpEntry[];
  /** How long agents that do not say are kept warm, in milliseconds; undefined if no file says. */
  readonly warmMs?: number | undefined;
  readonly files: readonly string[];
  /** Notes to print, one line each. */
  readonly notes: readonly string[];
}

/** A settings file that belongs to the user, so that it needs no trust. */
export interface OwnSettings {
  readonly file: string;
  readonly settings: Settings;
  /** Whether it is the file from `--settings`, which replaces all others. */
  readonly replacesAll: boolean;
}

/** Reads the file from `--settings`, or else the user's settings, if there are any. Throws a usage error. */
export async function readOwnSettings(
  io: Io,
  given: string | undefined,
): Promise<OwnSettings | undefined> {
  if (given !== undefined) {
    const limits = { maxBytes: MAX_SETTINGS_BYTES, what: "settings file" };
    const bytes = await readGivenFile(resolve(io.cwd, given), given, limits);
    const settings = await parseSettings(bytes.toString("utf8"), given);
    return { file: given, settings, replacesAll: true };
  }
  const file = userSettingsPath(io);
  const text = await read(file);
  if (text === undefined) return undefined;
  return { file, settings: await parseSettings(text, file), replacesAll: false };
}

export interface LoadOptions {
  readonly own: OwnSettings | undefined;
  readonly cwd: string;
  readonly trustProject: boolean;
  /** Asks whether to trust a project's settings; undefined if there is no terminal to ask on. */
  readonly ask: ((question: TrustQuestion) => Promise<boolean>) | undefined;
}

/**
 * Joins the settings: only the file from `--settings`, or else the project's (once trusted) and then
 * the user's. A name in the project's file hides the same name in the user's. Throws a usage error
 * for a project's file that is trusted but invalid or cannot be read.
 */
export async function loadSettings(io: Io, options: LoadOptions): Promise<LoadedSettings> {
  const notes: string[] = [];
  const sources: (readonly [string, Settings])[] = [];
  const { own } = options;
  if (own?.replacesAll !== true) {
    const project = projectSettingsPath(options.cwd);
    const trusted = await projectSettings(io, project, options, notes);
    if (trusted !== undefined) {
      sources.push([project, trusted]);
      notes.push(...preferenceNote(relative(options.cwd, project), trusted.preferences));
    }
  }
  if (own !== undefined) sources.push([own.file, own.settings]);
  for (const [file, { unknown }] of sources) notes.push(...unknownNote(file, unknown));
  return { ...merged(sources), files: sources.map(([file]) => file), notes };
}

/** A project describes agents. How Dragoman behaves is for the user to decide. */
function preferenceNote(file: string, preferences: Preferences): readonly string[] {
  const names = preferenceNames(preferences);
  if (names.length === 0) return [];
  return [`${file}: only your own settings can set ${names.join(", ")}`];
}

const SHOWN_FIELDS = 3;

/** One line per file, likely mistakes first: a file shared with an editor has many unknown fields. */
function unknownNote(file: string, unknown: readonly UnknownField[]): readonly string[] {
  if (unknown.length === 0) return [];
  const sorted = unknown.toSorted((a, b) => Number(!a.near) - Number(!b.near));
  const shown = sorted.slice(0, SHOWN_FIELDS).map(({ field, near }) => {
    return near === undefined ? field : `${field} (did you mean "${near}"?)`;
  });
  const rest = unknown.length - shown.length;
  const more = rest > 0 ? ` and ${rest} more` : "";
  return [`${file}: unknown fields are ignored: ${shown.join(", ")}${more}`];
}

async function projectSettings(
  io: Io,
  file: string,
  options: LoadOptions,
  notes: string[],
): Promise<Settings | undefined> {
  const shown = relative(options.cwd, file) || file;
  const ignore = (why: string): undefined => {
    notes.push(`${shown} is ignored: ${why}`);
  };
  const found = await projectFile(file, options.cwd);
  if (found === undefined) return undefined;
  if ("problem" in found) return ignore(found.problem);
  const { text, folder } = found;
  const store = new TrustStore(io);
  if (await store.trusts(folder, text)) return await parseSettings(text, file);
  if (!options.trustProject) {
    if (options.ask === undefined)
      return ignore("its current content is not trusted; use --trust-project to trust it");
    const question = { file, settings: await parseSettings(text, file) };
    if (!(await options.ask(question))) return ignore("you did not trust it");
    if ((await projectFile(file, options.cwd)) === undefined) return ignore("it no longer exists");
  }
  const settings = await parseSettings(text, file);
  try {
    await store.trust(folder, text);
  } catch (error) {
    notes.push(`could not save the trust decision for ${shown}: ${messageOf(error)}`);
  }
  return settings;
}

/** The settings file of a project and the real path of its folder, or the reason not to use it. */
type ProjectFile =
  | { readonly text: string; readonly folder: string }
  | { readonly problem: string };

/** The project's file, if there is one. A file elsewhere that a link leads to is not the project's own. */
async function projectFile(file: string, cwd: string): Promise<ProjectFile | undefined> {
  try {
    const [folder, real] = await Promise.all([realpath(cwd), realpath(file)]);
    if (!isBelow(real, folder)) {
      return {
        problem: `a link leads out of this folder, to ${real}; use --settings for that file`,
      };
    }
    const text = await readIfPresent(real);
    return text === undefined ? undefined : { text, folder };
  } catch (error) {
    if (error instanceof UnusableFileError) return { problem: error.message };
    if (hasCode(error, "ENOENT") || hasCode(error, "ENOTDIR")) return undefined;
    throw unreadableFile(file, error);
  }
}

/** Whether a path lies below a folder. Both are real paths. */
function isBelow(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way !== "" && way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

async function read(path: string): Promise<string | undefined> {
  try {
    return await readIfPresent(path);
  } catch (error) {
    throw unreadableFile(path, error);
  }
}

function merged(
  sources: readonly (readonly [string, Settings])[],
): Pick<LoadedSettings, "agents" | "mcpServers" | "warmMs"> {
  const agents = new Map<string, AgentEntry & { readonly from: string }>();
  const servers = new Map<string, McpEntry>();
  for (const [from, settings] of sources) {
    for (const [name, entry] of settings.agents) {
      if (!agents.has(name)) agents.set(name, { ...entry, from });
    }
    for (const server of settings.mcpServers) {
      if (!servers.has(server.name)) servers.set(server.name, server);
    }
  }
  const warmMs = sources.find(([, { preferences }]) => preferences.warm !== undefined)?.[1]
    .preferences.warm;
  return { agents, mcpServers: [...servers.values()], warmMs };
}
