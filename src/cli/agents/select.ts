import { join } from "node:path";
import { usageError, type CliError } from "../exit.ts";
import type { Io } from "../io.ts";
import type { LoadedSettings } from "../settings/load.ts";
import { stateFolder } from "../../wire/index.ts";
import { nearest } from "../args/suggest.ts";
import {
  CATALOGUE,
  catalogueEntry,
  switchesFor,
  type AgentSwitches,
  type CatalogueEntry,
} from "./catalogue.ts";
import { splitCommandLine } from "./command-line.ts";
import { isInstalled } from "./find.ts";

/** An agent ready to be started. */
export interface SelectedAgent {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly switches: AgentSwitches;
  /** Where its description came from. */
  readonly from: "settings" | "catalogue" | "command line";
  readonly entry: CatalogueEntry | undefined;
}

export interface AgentChoice {
  readonly agent: string | undefined;
  readonly agentCommand: string | undefined;
}

export interface Selected {
  readonly agent: SelectedAgent;
  /** Things to tell the person, one line each. */
  readonly notes: readonly string[];
}

/**
 * Chooses the agent: the command line's, the one named (settings before catalogue), the first of the
 * settings, Droid if it is installed, the embedded one.
 */
export async function selectAgent(
  io: Io,
  choice: AgentChoice,
  settings: LoadedSettings,
): Promise<Selected> {
  if (choice.agentCommand !== undefined) {
    if (choice.agent !== undefined) {
      throw usageError("--agent and --agent-command contradict each other");
    }
    return { agent: fromCommandLine(choice.agentCommand), notes: [] };
  }
  if (choice.agent !== undefined)
    return { agent: agentNamed(choice.agent, io, settings), notes: [] };
  const first = settings.agents.keys().next();
  if (first.done !== true) return { agent: agentNamed(first.value, io, settings), notes: [] };
  const droid = catalogueEntry("droid");
  if (droid !== undefined && (await isInstalled(droid, io))) {
    const note = "using droid: no other agent is set up";
    return { agent: agentNamed("droid", io, settings), notes: [note] };
  }
  const note = "using the embedded demo agent; dragoman agents lists others";
  return { agent: agentNamed("demo", io, settings), notes: [note] };
}

/** An agent of the settings or the catalogue. */
export function agentNamed(name: string, io: Io, settings: LoadedSettings): SelectedAgent {
  const entry = settings.agents.get(name);
  if (entry !== undefined) {
    const { command, args, env } = entry;
    const switches = switchesFor(name, command);
    return { name, command, args, env, switches, from: "settings", entry: undefined };
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
  const own = isDemo ? ["demo-agent"] : [];
  return {
    name,
    command: command ?? name,
    args: [...before, ...own, ...entry.args],
    env: { ...entry.env, ...(isDemo ? demoState(io) : {}) },
    switches,
    from: "catalogue",
    entry,
  };
}

/** Where the embedded agent keeps its sessions, so that the next run can go on with them. */
function demoState(io: Io): Readonly<Record<string, string>> {
  const variable = "DRAGOMAN_DEMO_STATE";
  return io.env[variable] === undefined ? { [variable]: join(stateFolder(io), "demo") } : {};
}

function fromCommandLine(text: string): SelectedAgent {
  const [command, ...args] = splitCommandLine(text);
  if (command === undefined) throw usageError("--agent-command is empty");
  const name = command.split(/[/\\]/).at(-1) ?? command;
  const switches = switchesFor(name, command);
  return { name, command, args, env: {}, switches, from: "command line", entry: undefined };
}

function unknownAgent(name: string, settings: LoadedSettings): CliError {
  const known = [...settings.agents.keys(), ...CATALOGUE.map((entry) => entry.name)];
  const near = nearest(name, known);
  const where = settings.files.length > 0 ? settings.files.join(", ") : "no settings file";
  return usageError(
    `unknown agent "${name}": neither agent_servers (${where}) nor the catalogue has it`,
    near === undefined ? "dragoman agents, or --agent-command" : `-a ${near}`,
  );
}
