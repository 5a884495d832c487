import { join } from "node:path";
import type { ProtocolChoice } from "../../../client/index.ts";
import { usageError, type CliError } from "../shell/exit.ts";
import type { Io } from "../shell/io.ts";
import type { LoadedSettings } from "../settings/load.ts";
import {
  splitCommandLine,
  stateFolder,
  UnclosedQuoteError,
  writeAtomically,
  messageOf,
  sanitizeLine,
  nearest,
} from "../../../base/index.ts";
import {
  CATALOGUE,
  catalogueEntry,
  switchesFor,
  type AgentSwitches,
  type CatalogueEntry,
} from "./catalogue.ts";
import type { McpEntry } from "../settings/schema.ts";
import {
  isInstalled,
  environmentOf,
  installedAgent,
  installedAgents,
  type InstalledAgent,
} from "./installed.ts";
import { stat } from "node:fs/promises";
import type { Values } from "../shell/parse.ts";
import { protocolOption, warmOption } from "../shell/option-values.ts";
import { applyAgentDefaults } from "../settings/apply.ts";
import { askBeforeStart, type Context, contextSettings } from "../context/context.ts";
import type { Renderer } from "../render/renderer.ts";
import { editSettings } from "../settings/edit.ts";
import { readIfPresent } from "../settings/files.ts";
import { readTokenFile } from "../shell/secret-file.ts";
import { isAgentAddress, shownAgentAddress } from "../settings/agent-address.ts";

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

/** The default agent. Throws a usage error if the one in the settings does not exist. */
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

export interface Chosen {
  readonly agent: SelectedAgent;
  readonly mcpServers: readonly McpEntry[];
}

/** Chooses the agent and prints notes about it. Its settings are then defaults of the flags. */
export async function chooseAgent(
  context: ChoiceContext,
  given?: string,
  commandLine = context.values.text("agent-command"),
): Promise<Chosen> {
  const { io, values, renderer, preferences, own } = context;
  const settings = await contextSettings(context);
  for (const note of settings.notes) renderer.note(note);
  const choice = {
    agent: given ?? agentName(values, commandLine),
    agentCommand: commandLine,
    agentUrl: values.text("agent-url"),
    tokenFile: values.text("token-file"),
    defaultAgent: preferences.defaultAgent,
    ask: firstRunQuestion(context),
  };
  const { agent, notes } = await selectAgent(io, choice, settings);
  if (!agent.remote) await checkFolder(context);
  else if (values.flag("remote-files")) renderer.note(REMOTE_FILES_NOTE);
  for (const note of notes) renderer.note(note);
  const defaults = agent.from === "command line" ? undefined : preferences.agents.get(agent.name);
  if (defaults !== undefined && own !== undefined)
    applyAgentDefaults(values, agent.name, defaults, own.file);
  const protocol = protocolOption(values) ?? agent.protocol;
  const warmMs = warmTime(context, agent, settings);
  return { agent: { ...agent, protocol, warmMs }, mcpServers: settings.mcpServers };
}

/** The name from the flag or the variable. A flag that describes an agent overrides the variable. */
function agentName(values: Values, commandLine: string | undefined): string | undefined {
  const describes = commandLine ?? values.text("agent-url");
  if (values.origin("agent") !== "flag" && describes !== undefined) return undefined;
  return values.text("agent");
}

const REMOTE_FILES_NOTE =
  "--remote-files: the agent on the server can use files and terminals of this machine, under your permissions";

/** How long the agent is kept warm. An agent on a server is the server's business. */
function warmTime(
  { values }: Pick<Context, "values">,
  { remote, warmMs }: SelectedAgent,
  settings: LoadedSettings,
): number | undefined {
  const given = warmOption(values);
  if (!remote) return given ?? warmMs ?? settings.warmMs;
  if (given) throw usageError("--warm does not apply to an agent on a server");
  return undefined;
}

async function checkFolder({ cwd, values }: Pick<Context, "cwd" | "values">): Promise<void> {
  const isFolder = await stat(cwd).then(
    (found) => found.isDirectory(),
    () => false,
  );
  if (!isFolder) throw usageError(`--cwd ${values.text("cwd") ?? cwd} is not a folder`);
}

type ChoiceContext = Omit<Context, "renderer"> & {
  readonly renderer: Pick<Renderer, "note">;
};

/** The question of the first run with several agents; undefined in a script, which it would surprise. */
function firstRunQuestion(context: ChoiceContext): AgentChoice["ask"] {
  const { asker, io, mode } = context;
  const isForPeople = mode === "text" || mode === "simple";
  if (asker === undefined || !io.stdout.isTty || !isForPeople) return undefined;
  return (installed) => ask(context, installed);
}

/** Asks once: after an answer, or a refusal to answer, later runs print a note instead. */
async function ask(
  context: ChoiceContext,
  installed: readonly string[],
): Promise<string | undefined> {
  const { io, renderer } = context;
  const asked = join(stateFolder(io), "asked-for-agent");
  if ((await readIfPresent(asked).catch(() => undefined)) !== undefined) return undefined;
  const answer = await askBeforeStart(context, async (dialogue) => {
    dialogue.say("Several agents are installed:");
    dialogue.say(...installed.map((name, index) => `  ${index + 1}  ${sanitizeLine(name)}`));
    const read = (line: string): string | undefined =>
      line === "" ? installed[0] : (installed[Number(line) - 1] ?? named(line, installed));
    const retry = `Please answer with a number from 1 to ${installed.length}.`;
    const name = await dialogue.until("Which one do you want to use? [1] ", read, retry);
    if (name === undefined) return undefined;
    return {
      name,
      save: await dialogue.confirm(`Make ${sanitizeLine(name)} your default agent?`, true),
    };
  });
  await writeAtomically(asked, `${new Date(io.now()).toISOString()}\n`).catch(() => {});
  if (answer?.save === true) {
    try {
      const file = await editSettings(context, ["default_agent"], answer.name);
      renderer.note(`saved default_agent in ${file}`);
    } catch (error) {
      renderer.note(`could not save default_agent: ${messageOf(error)}`);
    }
  }
  return answer?.name;
}

function named(line: string, installed: readonly string[]): string | undefined {
  return installed.find((name) => name === line);
}
