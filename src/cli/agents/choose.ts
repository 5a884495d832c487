import { stat } from "node:fs/promises";
import { selectAgent, type SelectedAgent } from "./select.ts";
import { warmOption } from "../args/values.ts";
import { usageError } from "../exit.ts";
import { loadSettings, type LoadedSettings } from "../settings/load.ts";
import type { McpEntry } from "../settings/schema.ts";
import { trustLines, type TrustQuestion } from "../settings/trust-question.ts";
import type { Asker } from "../tty/asker.ts";
import type { Context } from "../run/context.ts";

export interface Chosen {
  readonly agent: SelectedAgent;
  readonly mcpServers: readonly McpEntry[];
}

/** Reads the settings, chooses the agent and prints the notes about both. */
export async function chooseAgent(
  context: Context,
  name = context.values.text("agent"),
  commandLine = context.values.text("agent-command"),
): Promise<Chosen> {
  const { io, values, renderer } = context;
  const settings = await settingsOf(context);
  for (const note of settings.notes) renderer.note(note);
  const choice = {
    agent: name,
    agentCommand: commandLine,
    agentUrl: values.text("agent-url"),
    tokenFile: values.text("token-file"),
  };
  const { agent, notes } = await selectAgent(io, choice, settings);
  if (!agent.remote) await checkFolder(context);
  else if (values.flag("remote-files")) renderer.note(REMOTE_FILES_NOTE);
  for (const note of notes) renderer.note(note);
  const protocol = context.protocol ?? agent.protocol;
  const warmMs = warmTime(context, agent, settings);
  return { agent: { ...agent, protocol, warmMs }, mcpServers: settings.mcpServers };
}

const REMOTE_FILES_NOTE =
  "--remote-files: the agent on the server can use files and terminals of this machine, under your permissions";

/** How long the agent is kept warm. An agent on a server is the server's business. */
function warmTime(
  { values }: Context,
  { remote, warmMs }: SelectedAgent,
  settings: LoadedSettings,
): number | undefined {
  const given = warmOption(values);
  if (!remote) return given ?? warmMs ?? settings.warmMs;
  if (given) throw usageError("--warm does not apply to an agent on a server");
  return undefined;
}

/** The settings for this folder. Asks whether to trust the project's settings if there is a terminal. */
export function settingsOf(context: Context): Promise<LoadedSettings> {
  const { io, values, cwd, asker, interrupts } = context;
  return loadSettings(io, {
    file: values.text("settings"),
    cwd,
    trustProject: values.flag("trust-project"),
    ask: asker === undefined ? undefined : (question) => askTrust(asker, question, interrupts),
  });
}

async function checkFolder({ cwd, values }: Context): Promise<void> {
  const isFolder = await stat(cwd).then(
    (found) => found.isDirectory(),
    () => false,
  );
  if (!isFolder) throw usageError(`--cwd ${values.text("cwd") ?? cwd} is not a folder`);
}

async function askTrust(
  asker: Asker,
  question: TrustQuestion,
  interrupts: Context["interrupts"],
): Promise<boolean> {
  const controller = new AbortController();
  const stop = interrupts.listen({ first: () => controller.abort() });
  try {
    const answer = await asker.ask(controller.signal, (dialogue) => {
      dialogue.say(...trustLines(question));
      const read = (line: string): boolean | undefined =>
        /^y(es)?$/i.test(line) ? true : /^(no?)?$/i.test(line) ? false : undefined;
      return dialogue.until("Trust them and start these? [y/N] ", read, "Please answer y or n.");
    });
    const interrupted = interrupts.error();
    if (interrupted !== undefined) throw interrupted;
    return answer === true;
  } finally {
    stop();
  }
}
