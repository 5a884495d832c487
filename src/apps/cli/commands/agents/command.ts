import { joinCommandLine } from "../../../../base/index.ts";
import { CATALOGUE, commandShown } from "../../agents/catalogue.ts";
import { settingsOf } from "../../agents/choose.ts";
import {
  findCommand,
  isInstalled,
  installedAgents,
  type InstalledAgent,
} from "../../agents/installed.ts";
import { defaultAgent } from "../../agents/select.ts";
import { AGENT_ACTIONS, AGENTS_OPTIONS } from "./declaration.ts";
import { optionsIn } from "../../shell/options.ts";
import type { ParsedCommandLine, Values } from "../../shell/parse.ts";
import { CliError, usageError, type ExitCode } from "../../shell/exit.ts";
import type { Io } from "../../shell/io.ts";
import { eventLine } from "../../render/json/events.ts";
import { type Columns, listText } from "../../render/text/list.ts";
import { runCommand } from "../../connect/command.ts";
import type { Context } from "../../context/context.ts";
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

type AgentsAction = (typeof AGENT_ACTIONS)[number];

/** `dragoman agents [install|update|remove NAME]`: lists agents, and installs them. */
export function run({ values, words }: ParsedCommandLine, io: Io): Promise<ExitCode> {
  const { action, name } = readWords(words, values);
  return runCommand(io, values, {
    run: async (context) => {
      if (action === "list") await list(context);
      else await change(context, action, name);
      await context.screen.drained();
    },
  });
}

function readWords(
  words: readonly string[],
  values: Values,
): { readonly action: AgentsAction; readonly name: string } {
  const [word = "list", name, ...more] = words;
  const action = AGENT_ACTIONS.find((candidate) => candidate === word);
  if (action === undefined)
    throw usageError(`unknown action "${word}" for agents`, AGENT_ACTIONS.join(", "));
  if (action === "list") {
    if (name !== undefined) throw usageError("agents list takes no arguments");
    const given = values.names();
    const early = [...optionsIn(AGENTS_OPTIONS).map((option) => option.name), "yes"].find((flag) =>
      given.includes(flag),
    );
    if (early !== undefined)
      throw usageError(`--${early} is for agents install, update and remove`);
    return { action, name: "" };
  }
  if (name === undefined || more.length > 0)
    throw usageError(`agents ${action} needs the name of one agent`);
  return { action, name };
}

async function change(
  context: Context,
  action: Exclude<AgentsAction, "list">,
  name: string,
): Promise<void> {
  const { installAgent, removeAgent, updateAgent } = await import("./install.ts");
  switch (action) {
    case "install":
      return installAgent(context, name);
    case "update":
      return updateAgent(context, name);
    case "remove":
      return removeAgent(context, name);
  }
}

async function list(context: Context): Promise<void> {
  const { io, screen, mode } = context;
  const settings = await settingsOf(context);
  for (const note of settings.notes) context.renderer.note(note);
  const rows = await rowsOf(context, settings);
  const sorted = [true, false].flatMap((is) => rows.filter(({ installed }) => installed === is));
  if (mode === "result") return;
  if (mode !== "text" && mode !== "simple") {
    for (const row of sorted) screen.json(eventLine("listed_agent", row));
    return;
  }
  screen.answer(listText(sorted, COLUMNS, io.stdout.isTty ? io.stdout.columns() : undefined));
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
