import { join, resolve } from "node:path";
import type { ProtocolChoice } from "../../../client/index.ts";
import { usageError, type CliError } from "../shell/exit.ts";
import type { Io } from "../shell/io.ts";
import type { LoadedSettings } from "../settings/load.ts";
import {
  splitCommandLine,
  stateFolder,
  UnclosedQuoteError,
  joinCommandLine,
  quoted,
} from "../../../base/index.ts";
import { nearest } from "../shell/suggest.ts";
import {
  CATALOGUE,
  catalogueEntry,
  switchesFor,
  type AgentSwitches,
  type CatalogueEntry,
} from "./catalogue.ts";
import { isAgentAddress, shownAgentAddress } from "../settings/schema.ts";
import {
  isInstalled,
  environmentOf,
  installedAgent,
  installedAgents,
  type InstalledAgent,
} from "./installed.ts";
import type { Stats } from "node:fs";
import { MIB, readGivenFile, UnusableFileError } from "../shell/regular-file.ts";

export interface SelectedAgent {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly switches: AgentSwitches;
  /** The version of the protocol to ask for, from `--protocol` or the settings. Default: 1. */
  readonly protocol?: ProtocolChoice | undefined;
  /** Where its description came from. */
  readonly from: "settings" | "installed" | "catalogue" | "command line";
  readonly entry: CatalogueEntry | undefined;
  /** Set if the agent is on a server. Then `command` is only its address, and nothing is started. */
  readonly remote?: RemoteAgent | undefined;
  /** The keys of `_meta` that clients of `dragoman serve` may set when they open a session. Default: none. */
  readonly meta?: readonly string[] | undefined;
  /** How long it is kept warm, in milliseconds. 0 or undefined: it ends with this run. */
  readonly warmMs?: number | undefined;
}

export interface AgentChoice {
  /** The name from `--agent` or `DRAGOMAN_AGENT`. */
  readonly agent?: string | undefined;
  readonly agentCommand?: string | undefined;
  readonly agentUrl?: string | undefined;
  readonly tokenFile?: string | undefined;
  /** `default_agent` in the settings. */
  readonly defaultAgent?: string | undefined;
  /** Lets the user choose one of several installed agents; undefined if the user did not choose. */
  readonly ask?: ((installed: readonly string[]) => Promise<string | undefined>) | undefined;
}

interface Selected {
  readonly agent: SelectedAgent;
  /** Notes to print, one line each. */
  readonly notes: readonly string[];
}

/**
 * Chooses the agent: the one from `--agent-command` or `--agent-url`, else the named one (settings before
 * catalogue), else the default one, else the first in the settings, else one that is installed, else the
 * embedded one.
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
  const token = tokenFile === undefined ? undefined : await readTokenFile(tokenFile, io);
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
    return { agent: await agentNamed(choice.agent, io, settings), notes: [] };
  const { name, notes } = await defaultAgent(io, choice, settings);
  return { agent: await agentNamed(name, io, settings), notes };
}

interface DefaultAgent {
  readonly name: string;
  /** Why it is the default, in a few words. */
  readonly why: string;
  readonly notes: readonly string[];
}

/** The agent of a run that names none. Throws a usage error if the one in the settings does not exist. */
export async function defaultAgent(
  io: Io,
  choice: Pick<AgentChoice, "defaultAgent" | "ask">,
  settings: Pick<LoadedSettings, "agents" | "files">,
): Promise<DefaultAgent> {
  const configured = choice.defaultAgent;
  if (configured !== undefined) {
    if (await isKnown(configured, io, settings))
      return { name: configured, why: "default_agent", notes: [] };
    throw usageError(
      `unknown agent "${configured}" in default_agent: it is in neither agent_servers nor the catalogue`,
      "dragoman config set default_agent NAME, or dragoman agents",
    );
  }
  const first = settings.agents.keys().next();
  if (first.done !== true)
    return { name: first.value, why: "the first in agent_servers", notes: [] };
  const installed = await agentsFound(io);
  const [name, ...others] = installed;
  if (name === undefined)
    return { name: "demo", why: "no other agent was found", notes: [DEMO_NOTE] };
  if (others.length === 0)
    return {
      name,
      why: "the only agent found",
      notes: [`using ${name}, the only agent found`],
    };
  const chosen = await choice.ask?.(installed);
  if (chosen !== undefined) return { name: chosen, why: "your answer", notes: [] };
  const found = `${[name, ...others.slice(0, -1)].join(", ")} and ${others.at(-1)}`;
  const how = "dragoman config set default_agent NAME chooses another";
  return { name, why: "the first agent found", notes: [`found ${found}; using ${name} (${how})`] };
}

const DEMO_NOTE = "using the embedded demo agent; dragoman agents lists others";

/** The installed agents, without the embedded one: those of the catalogue, then others. */
async function agentsFound(io: Io): Promise<readonly string[]> {
  const others = CATALOGUE.filter(({ name }) => name !== "demo");
  const [own, found] = await Promise.all([
    installedAgents(io),
    Promise.all(others.map((entry) => isInstalled(entry, io))),
  ]);
  const names = own.map(({ name }) => name);
  const known = others.filter(({ name }, index) => found[index] === true || names.includes(name));
  return [...new Set([...known.map(({ name }) => name), ...names])];
}

async function isKnown(
  name: string,
  io: Io,
  settings: Pick<LoadedSettings, "agents">,
): Promise<boolean> {
  if (settings.agents.has(name) || catalogueEntry(name) !== undefined) return true;
  return (await installedAgent(io, name)) !== undefined;
}

/** The agent with this name: from the settings, installed by Dragoman, or from the catalogue. */
async function agentNamed(name: string, io: Io, settings: LoadedSettings): Promise<Described> {
  const entry = settings.agents.get(name);
  if (entry !== undefined) {
    const { command, args, env, protocol, remote, warmMs, meta } = entry;
    const switches = switchesFor(name, command);
    return {
      name,
      command,
      args,
      env,
      switches,
      protocol,
      warmMs,
      meta,
      from: "settings",
      entry: undefined,
      ...(remote && { remote, tokenFile: remote.tokenFile }),
    };
  }
  const known = catalogueEntry(name);
  const installed = await installedAgent(io, name);
  if (installed !== undefined) return fromInstall(installed, known, io);
  if (known === undefined) throw unknownAgent(name, settings);
  return fromCatalogue(known, io);
}

function fromInstall(
  installed: InstalledAgent,
  entry: CatalogueEntry | undefined,
  io: Io,
): SelectedAgent {
  const { name, command, args } = installed;
  const env = environmentOf(installed, io);
  const { switches = {}, meta } = entry ?? {};
  return { name, command, args, env, switches, meta, from: "installed", entry };
}

function fromCatalogue(entry: CatalogueEntry, io: Io): SelectedAgent {
  const { name, switches = {}, meta } = entry;
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
    meta,
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
    command: shownAgentAddress(text),
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

interface RemoteAgent {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

const OTHERS = 0o077;

/** Reads the token for a server from a file that only the user can read. Throws a usage error. */
export async function readTokenFile(path: string, io: Pick<Io, "cwd" | "home">): Promise<string> {
  const file = path.startsWith("~/") ? join(io.home, path.slice(2)) : resolve(io.cwd, path);
  const options = { maxBytes: MIB, what: "token file", check: expectPrivateFile };
  const text = (await readGivenFile(file, path, options)).toString("utf8").trim();
  if (/^[\x21-\x7e]+$/.test(text)) return text;
  throw usageError(`${path} does not hold a token: one line without spaces`);
}

/** Throws if others can read a file. Windows has no such modes. */
export function expectPrivateFile({ mode, uid }: Stats): void {
  if (process.platform === "win32") return;
  if ((mode & OTHERS) !== 0) {
    throw new UnusableFileError("can be read by others, so it is not secret: chmod 600");
  }
  const me = process.getuid?.();
  if (me !== undefined && me !== 0 && uid !== me) {
    throw new UnusableFileError("belongs to another user");
  }
}

function withToken(
  headers: Readonly<Record<string, string>>,
  token: string | undefined,
): Readonly<Record<string, string>> {
  if (token === undefined) return headers;
  if (Object.keys(headers).some((name) => name.toLowerCase() === "authorization")) {
    throw usageError("the settings of this agent have an Authorization header and a token file");
  }
  return { ...headers, authorization: `Bearer ${token}` };
}

type Named = Pick<SelectedAgent, "name" | "command" | "args" | "from" | "protocol" | "remote">;

export function doctorHint(agent: Named): string {
  const named = agent.from === "command line" ? commandFlag(agent) : agent.name;
  return `dragoman doctor ${named}${protocolFlag(agent)}`;
}

export function sessionsHint(agent: Named): string {
  const named = agent.from === "command line" ? commandFlag(agent) : `-a ${agent.name}`;
  return `dragoman sessions list ${named}${protocolFlag(agent)}`;
}

/** For failures that the doctor itself reports: how to see the agent's output without a client. */
export function manualRunHint({ command, args, remote }: Named): string {
  if (remote) return `the server's own log, and whether ${command} can be reached`;
  return `${joinCommandLine([command, ...args])} in a terminal, to see its own output`;
}

function commandFlag({ command, args, remote }: Named): string {
  if (remote) return `--agent-url ${quoted(command)}`;
  return `--agent-command ${quoted(joinCommandLine([command, ...args]))}`;
}

function protocolFlag({ protocol }: Named): string {
  return protocol === undefined ? "" : ` --protocol ${protocol}`;
}
