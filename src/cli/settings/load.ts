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
  /** By name, in order of preference. The first agent of the first file is the default. */
  readonly agents: ReadonlyMap<string, AgentEntry & { readonly from: string }>;
  readonly mcpServers: readonly McpEntry[];
  /** The files that were used. */
  readonly files: readonly string[];
  /** Notes to print, one line each. */
  readonly notes: readonly string[];
}

export interface LoadOptions {
  /** The file from `--settings`, which replaces all others. */
  readonly file: string | undefined;
  readonly cwd: string;
  readonly trustProject: boolean;
  /** Asks whether to trust a project's settings; undefined if there is no terminal to ask on. */
  readonly ask: ((question: TrustQuestion) => Promise<boolean>) | undefined;
}

export interface TrustQuestion {
  readonly file: string;
  readonly settings: Settings;
}

/**
 * Reads the settings: only the file from `--settings`, or else the project's (once trusted) and then
 * the user's. A name in the project's file hides the same name in the user's. Throws a usage error
 * for a file that is invalid or cannot be read.
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
  const text = await read(file, file);
  if (text === undefined) return undefined;
  const store = new TrustStore(io);
  if (await store.trusts(file, text)) return parseSettings(text, file);
  const shown = relative(options.cwd, file) || file;
  if (!options.trustProject) {
    if (options.ask === undefined) {
      notes.push(
        `${shown} is ignored: its current content is not trusted; use --trust-project to trust it`,
      );
      return undefined;
    }
    const settings = parseSettings(text, file);
    if (!(await options.ask({ file, settings }))) {
      notes.push(`${shown} is ignored: you did not trust it`);
      return undefined;
    }
  }
  const settings = parseSettings(text, file);
  try {
    await store.trust(file, text);
  } catch (error) {
    if ((await read(file, file)) === undefined) {
      notes.push(`${shown} is ignored: it no longer exists`);
      return undefined;
    }
    notes.push(`could not save the trust decision for ${shown}: ${messageOf(error)}`);
  }
  return settings;
}

async function read(path: string, name: string): Promise<string | undefined> {
  try {
    return await readIfPresent(path);
  } catch (error) {
    throw usageError(`could not read ${name}: ${messageOf(error)}`);
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
