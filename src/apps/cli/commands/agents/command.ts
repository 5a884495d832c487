import { joinCommandLine } from "../../../../base/index.ts";
import { CATALOGUE, commandShown } from "../../agents/catalogue.ts";
import {
  findCommand,
  isInstalled,
  installedAgents,
  type InstalledAgent,
} from "../../agents/installed.ts";
import { defaultAgent } from "../../agents/select.ts";
import { AGENT_ACTIONS } from "./declaration.ts";
import type { ParsedCommandLine } from "../../shell/parse.ts";
import { CliError, type ExitCode } from "../../shell/exit.ts";
import type { Io } from "../../shell/io.ts";
import { eventLine } from "../../render/json/events.ts";
import { type Columns, listText } from "../../render/text/table.ts";
import { runAction } from "../../connect/run-command.ts";
import { contextSettings, type Context, stdoutView } from "../../context/context.ts";
import type { LoadedSettings } from "../../settings/load.ts";

interface Row {
  readonly name: string;
  readonly installed: boolean;
  /** Whether runs that name no agent use it. */
  readonly default: boolean;
  readonly from: string;
  readonly command: string;
  readonly title: string;
  /** The version, if Dragoman has installed it. */
  readonly version: string | undefined;
  readonly install: string | undefined;
}

/** `dragoman agents`: lists agents, and installs them. */
export async function run(parsed: ParsedCommandLine, io: Io): Promise<ExitCode> {
  return runAction(parsed, io, AGENT_ACTIONS, {
    list,
    install: async (context, name) => (await import("./install.ts")).installAgent(context, name),
    update: async (context, name) => (await import("./install.ts")).updateAgent(context, name),
    remove: async (context, name) => (await import("./install.ts")).removeAgent(context, name),
  });
}

async function list(context: Context): Promise<void> {
  const { screen, mode } = context;
  const settings = await contextSettings(context);
  for (const note of settings.notes) context.renderer.note(note);
  const rows = await rowsOf(context, settings);
  const sorted = [true, false].flatMap((is) => rows.filter(({ installed }) => installed === is));
  if (mode === "result") return;
  if (mode !== "text" && mode !== "simple") {
    for (const row of sorted) screen.json(eventLine("listed_agent", row));
    return;
  }
  screen.answer(listText(sorted, COLUMNS, stdoutView(context).columns));
}

async function rowsOf(context: Context, settings: LoadedSettings): Promise<readonly Row[]> {
  const { io } = context;
  const own = await installedAgents(io);
  const standard = await defaultName(context, settings);
  const rows: Row[] = [];
  for (const [name, { command, from, remote }] of settings.agents) {
    // An agent on a server needs nothing here.
    const installed = remote !== undefined || (await findCommand(command, io)) !== undefined;
    const facts = { version: undefined, title: "", install: undefined };
    rows.push({ name, installed, default: name === standard, from, command, ...facts });
  }
  for (const entry of CATALOGUE) {
    const { name, title, install } = entry;
    if (settings.agents.has(name)) continue;
    const mine = own.find((agent) => agent.name === name);
    rows.push({
      name,
      installed: mine !== undefined || (await isInstalled(entry, io)),
      default: name === standard,
      from: typeof entry.command === "string" ? "catalogue" : "dragoman",
      command: commandShown(entry),
      title,
      version: mine?.version,
      install: entry.npm === undefined ? install : `dragoman agents install ${name}`,
    });
  }
  for (const agent of own) {
    if (rows.some(({ name }) => name === agent.name)) continue;
    rows.push(installedRow(agent, standard));
  }
  return rows;
}

function installedRow(agent: InstalledAgent, standard: string | undefined): Row {
  const { name, title, version, command, args, registry = "catalogue" } = agent;
  const program = command.split(/[/\\]/).at(-1) ?? command;
  return {
    name,
    installed: true,
    default: name === standard,
    from: registry,
    command: joinCommandLine([program, ...args]),
    title,
    version,
    install: undefined,
  };
}

/** The default agent; undefined if the settings name one that does not exist. */
async function defaultName(
  { io, values, preferences }: Context,
  settings: LoadedSettings,
): Promise<string | undefined> {
  const named = values.origin("agent") === "environment" ? values.text("agent") : undefined;
  if (named !== undefined) return named;
  try {
    return (await defaultAgent(io, { defaultAgent: preferences.defaultAgent }, settings)).name;
  } catch (error) {
    if (error instanceof CliError) return undefined;
    throw error;
  }
}

const COLUMNS: Columns<Row> = {
  "  AGENT": (row) => `${row.default ? "*" : " "} ${row.name}`,
  INSTALLED: (row) => row.version ?? (row.installed ? "yes" : "no"),
  COMMAND: "command",
  ABOUT: ({ title, installed, install = "", from }) =>
    [title, installed ? "" : install, title === "" ? from : ""].filter(Boolean).join("; "),
};
