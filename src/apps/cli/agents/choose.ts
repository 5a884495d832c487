import { stat } from "node:fs/promises";
import type { Values } from "../shell/parse.ts";
import { protocolOption, warmOption } from "../shell/option-values.ts";
import { applyAgentDefaults } from "../settings/apply.ts";
import { selectAgent, type SelectedAgent, type AgentChoice } from "./select.ts";
import { usageError } from "../shell/exit.ts";
import { loadSettings, type LoadedSettings } from "../settings/load.ts";
import type { McpEntry } from "../settings/schema.ts";
import { trustLines, type TrustQuestion } from "../settings/trust.ts";
import { askBeforeStart, type Context } from "../context/context.ts";
import { join } from "node:path";
import { stateFolder, writeAtomically, messageOf, sanitizeLine } from "../../../base/index.ts";
import type { Renderer } from "../render/renderer.ts";
import { editSettings } from "../settings/edit.ts";
import { readIfPresent } from "../settings/files.ts";

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

/** The settings for this folder. Asks whether to trust the project's settings if there is a terminal. */
export function contextSettings(context: Omit<Context, "renderer">): Promise<LoadedSettings> {
  const { io, values, cwd, asker } = context;
  return loadSettings(io, {
    own: context.own,
    cwd,
    trustProject: values.flag("trust-project"),
    ask: asker === undefined ? undefined : (question) => askTrust(context, question),
  });
}

async function checkFolder({ cwd, values }: Pick<Context, "cwd" | "values">): Promise<void> {
  const isFolder = await stat(cwd).then(
    (found) => found.isDirectory(),
    () => false,
  );
  if (!isFolder) throw usageError(`--cwd ${values.text("cwd") ?? cwd} is not a folder`);
}

async function askTrust(
  context: Pick<Context, "asker" | "interrupts">,
  question: TrustQuestion,
): Promise<boolean> {
  const answer = await askBeforeStart(context, (dialogue) => {
    dialogue.say(...trustLines(question));
    return dialogue.confirm("Trust them and start these?", false);
  });
  return answer === true;
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
