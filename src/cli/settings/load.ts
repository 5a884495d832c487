import { relative, resolve } from "node:path";
import { usageError } from "../exit.ts";
import { messageOf, type Io } from "../io.ts";
import { readIfPresent } from "./files.ts";
import { settingsPaths } from "./paths.ts";
import {
  parseSettings,
  type AgentEntry,
  type McpEntry,
  type Settings,
  type UnknownField,
} from "./schema.ts";
import { TrustStore } from "./trust.ts";

export interface LoadedSettings {
  /** By name, in the order of preference; the first of the first file is the default. */
  readonly agents: ReadonlyMap<string, AgentEntry & { readonly from: string }>;
  readonly mcpServers: readonly McpEntry[];
  /** Files that took part. */
  readonly files: readonly string[];
  /** Things to tell the person, one line each. */
  readonly notes: readonly string[];
}

export interface LoadOptions {
  /** The file of `--settings`: used alone. */
  readonly file: string | undefined;
  readonly cwd: string;
  readonly trustProject: boolean;
  /** Asks whether a project's settings are to be trusted; undefined when nobody can be asked. */
  readonly ask: ((question: TrustQuestion) => Promise<boolean>) | undefined;
}

export interface TrustQuestion {
  readonly file: string;
  readonly settings: Settings;
}

/**
 * Reads the settings: those of `--settings` alone, or the project's (once trusted) before the
 * user's. A name in the project's hides the same name in the user's.
 */
export async function loadSettings(io: Io, options: LoadOptions): Promise<LoadedSettings> {
  const notes: string[] = [];
  const sources: (readonly [string, Settings])[] = [];
  if (options.file !== undefined) {
    const path = resolve(io.cwd, options.file);
    const text = await read(path, options.file);
    if (text === undefined) throw usageError(`${options.file}: no such settings file`);
    sources.push([options.file, parseSettings(text, options.file)]);
  } else {
    const { project, user } = settingsPaths(io, options.cwd);
    const trusted = await projectSettings(io, project, options, notes);
    if (trusted !== undefined) sources.push([project, trusted]);
    const text = await read(user, user);
    if (text !== undefined) sources.push([user, parseSettings(text, user)]);
  }
  for (const [file, { unknown }] of sources) notes.push(...unknownNote(file, unknown));
  return { ...merged(sources), files: sources.map(([file]) => file), notes };
}

const SHOWN_FIELDS = 3;

/** One line for all of a file, those that look like mistakes first: an editor's file has many others. */
function unknownNote(file: string, unknown: readonly UnknownField[]): readonly string[] {
  if (unknown.length === 0) return [];
  const sorted = unknown.toSorted((a, b) => Number(!a.near) - Number(!b.near));
  const shown = sorted.slice(0, SHOWN_FIELDS).map(({ field, near }) => {
    return near === undefined ? field : `${field} (is "${near}" meant?)`;
  });
  const rest = unknown.length - shown.length;
  const more = rest > 0 ? ` and ${rest} more` : "";
  return [`${file}: ignored, since unknown here: ${shown.join(", ")}${more}`];
}

async function projectSettings(
  io: Io,
  file: string,
  options: LoadOptions,
  notes: string[],
): Promise<Settings | undefined> {
  const text = await read(file, file);
  if (text === undefined) return undefined;
  const store = new TrustStore(io);
  if (await store.trusts(file, text)) return parseSettings(text, file);
  const shown = relative(options.cwd, file) || file;
  if (!options.trustProject) {
    if (options.ask === undefined) {
      notes.push(`${shown} is ignored: nobody has trusted it as it is now; --trust-project does`);
      return undefined;
    }
    const settings = parseSettings(text, file);
    if (!(await options.ask({ file, settings }))) {
      notes.push(`${shown} is ignored: not trusted`);
      return undefined;
    }
  }
  const settings = parseSettings(text, file);
  try {
    await store.trust(file, text);
  } catch (error) {
    if ((await read(file, file)) === undefined) {
      notes.push(`${shown} is ignored: it is gone`);
      return undefined;
    }
    notes.push(`that ${shown} is trusted cannot be kept: ${messageOf(error)}`);
  }
  return settings;
}

async function read(path: string, name: string): Promise<string | undefined> {
  try {
    return await readIfPresent(path);
  } catch (error) {
    throw usageError(`${name} cannot be read: ${messageOf(error)}`);
  }
}

function merged(
  sources: readonly (readonly [string, Settings])[],
): Pick<LoadedSettings, "agents" | "mcpServers"> {
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
  return { agents, mcpServers: [...servers.values()] };
}
