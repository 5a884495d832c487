import { join } from "node:path";
import type { ProtocolChoice } from "../../client/index.ts";
import { usageError, type CliError } from "../exit.ts";
import type { Io } from "../io.ts";
import type { LoadedSettings } from "../settings/load.ts";
import { splitCommandLine, stateFolder, UnclosedQuoteError } from "../../wire/index.ts";
import { nearest } from "../args/suggest.ts";
import {
  CATALOGUE,
  catalogueEntry,
  switchesFor,
  type AgentSwitches,
  type CatalogueEntry,
} from "./catalogue.ts";
import { isAgentAddress, shownAddress } from "./address.ts";
import { isInstalled } from "./find.ts";
import { readToken, type RemoteAgent, withToken } from "./remote.ts";

/** An agent that is ready to start. */
export interface SelectedAgent {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly switches: AgentSwitches;
  /** The version of the protocol to ask for, from `--protocol` or the settings. Default: 1. */
  readonly protocol?: ProtocolChoice | undefined;
  /** Where its description came from. */
  readonly from: "settings" | "catalogue" | "command line";
  readonly entry: CatalogueEntry | undefined;
  /** Set if the agent is on a server. Then `command` is only its address, and nothing is started. */
  readonly remote?: RemoteAgent | undefined;
  /** How long it is kept warm, in milliseconds. 0 or undefined: it ends with this run. */
  readonly warmMs?: number | undefined;
}

export interface AgentChoice {
  readonly agent: string | undefined;
  readonly agentCommand: string | undefined;
  readonly agentUrl?: string | undefined;
  readonly tokenFile?: string | undefined;
}

export interface Selected {
  readonly agent: SelectedAgent;
  /** Notes to print, one line each. */
  readonly notes: readonly string[];
}

/**
 * Chooses the agent: the one from `--agent-command` or `--agent-url`, else the named one (settings before
 * catalogue), else the first in the settings, else Droid if it is installed, else the embedded one.
 * Throws a usage error if the choice is unknown or ambiguous, or if the token file cannot be used.
 */
export async function selectAgent(
  io: Io,
  choice: AgentChoice,
  settings: LoadedSettings,
): Promise<Selected> {
  const { agent, notes } = await selectDescribed(io, choice, settings);
  const tokenFile = choice.tokenFile ?? agent.tokenFile;
  if (!agent.remote) {
    if (tokenFile === undefined) return { agent, notes };
    throw usageError(`--token-file is for an agent on a server, and ${agent.name} is not on one`);
  }
  const token = tokenFile === undefined ? undefined : await readToken(tokenFile, io);
  const headers = withToken(agent.remote.headers, token);
  return { agent: { ...agent, remote: { ...agent.remote, headers } }, notes };
}

/** An agent whose token was not read yet. */
type Described = SelectedAgent & { readonly tokenFile?: string | undefined };

async function selectDescribed(
  io: Io,
  choice: AgentChoice,
  settings: LoadedSettings,
): Promise<{ readonly agent: Described; readonly notes: readonly string[] }> {
  const given = [
    ["--agent", choice.agent],
    ["--agent-command", choice.agentCommand],
    ["--agent-url", choice.agentUrl],
  ].flatMap(([name, value]) => (value === undefined ? [] : [name]));
  if (given.length > 1) throw usageError(`${given.join(" and ")} contradict each other`);
  if (choice.agentUrl !== undefined) return { agent: fromAddress(choice.agentUrl), notes: [] };
  if (choice.agentCommand !== undefined) {
    return { agent: fromCommandLine(choice.agentCommand), notes: [] };
  }
  if (choice.agent !== undefined)
    return { agent: agentNamed(choice.agent, io, settings), notes: [] };
  const first = settings.agents.keys().next();
  if (first.done !== true) return { agent: agentNamed(first.value, io, settings), notes: [] };
  const droid = catalogueEntry("droid");
  if (droid !== undefined && (await isInstalled(droid, io))) {
    const note = "using droid: no other agent is configured";
    return { agent: agentNamed("droid", io, settings), notes: [note] };
  }
  const note = "using the embedded demo agent; dragoman agents lists others";
  return { agent: agentNamed("demo", io, settings), notes: [note] };
}

/** The agent with this name in the settings or the catalogue. Throws a usage error if there is none. */
export function agentNamed(name: string, io: Io, settings: LoadedSettings): Described {
  const entry = settings.agents.get(name);
  if (entry !== undefined) {
    const { command, args, env, protocol, remote, warmMs } = entry;
    const switches = switchesFor(name, command);
    return {
      name,
      command,
      args,
      env,
      switches,
      protocol,
      warmMs,
      from: "settings",
      entry: undefined,
      ...(remote && { remote, tokenFile: remote.tokenFile }),
    };
  }
  const known = catalogueEntry(name);
  if (known === undefined) throw unknownAgent(name, settings);
  return fromCatalogue(known, io);
}

function fromCatalogue(entry: CatalogueEntry, io: Io): SelectedAgent {
  const { name, switches = {} } = entry;
  const [command, ...before] =
    typeof entry.command === "string"
      ? [entry.command]
      : [io.self.node, ...(entry.command.self === "demo" ? io.self.dragoman : io.self.droidAcp)];
  const isDemo = typeof entry.command !== "string" && entry.command.self === "demo";
  const subcommand = isDemo ? ["demo-agent"] : [];
  return {
    name,
    command: command ?? name,
    args: [...before, ...subcommand, ...entry.args],
    env: { ...entry.env, ...(isDemo ? demoState(io) : {}) },
    switches,
    from: "catalogue",
    entry,
  };
}

/** Where the embedded agent keeps its sessions, so that the next run can resume them. */
function demoState(io: Io): Readonly<Record<string, string>> {
  const variable = "DRAGOMAN_DEMO_STATE";
  return io.env[variable] === undefined ? { [variable]: join(stateFolder(io), "demo") } : {};
}

function fromAddress(text: string): SelectedAgent {
  if (!isAgentAddress(text)) {
    throw usageError("--agent-url must be a ws, wss, http or https address without a password");
  }
  return {
    name: new URL(text).host,
    command: shownAddress(text),
    args: [],
    env: {},
    switches: {},
    from: "command line",
    entry: undefined,
    remote: { url: text, headers: {} },
  };
}

function fromCommandLine(text: string): SelectedAgent {
  const [command, ...args] = wordsOf(text);
  if (command === undefined) throw usageError("--agent-command is empty");
  const name = command.split(/[/\\]/).at(-1) ?? command;
  const switches = switchesFor(name, command);
  return { name, command, args, env: {}, switches, from: "command line", entry: undefined };
}

function wordsOf(text: string): readonly string[] {
  try {
    return splitCommandLine(text);
  } catch (error) {
    if (!(error instanceof UnclosedQuoteError)) throw error;
    throw usageError(`--agent-command has an unclosed ${error.quote}`);
  }
}

function unknownAgent(name: string, settings: LoadedSettings): CliError {
  const known = [...settings.agents.keys(), ...CATALOGUE.map((entry) => entry.name)];
  const near = nearest(name, known);
  const where = settings.files.length > 0 ? settings.files.join(", ") : "no settings file";
  return usageError(
    `unknown agent "${name}": it is in neither agent_servers (${where}) nor the catalogue`,
    near === undefined ? "dragoman agents, or --agent-command" : `-a ${near}`,
  );
}
