import { stat } from "node:fs/promises";
import { selectAgent, type SelectedAgent } from "./select.ts";
import { usageError } from "../exit.ts";
import { loadSettings, type LoadedSettings } from "../settings/load.ts";
import type { McpEntry } from "../settings/schema.ts";
import { trustLines } from "../settings/trust-question.ts";
import { confirm } from "../tty/confirm.ts";
import type { Renderer } from "../render/renderer.ts";
import type { Context } from "../run/context.ts";

export interface Chosen {
  readonly agent: SelectedAgent;
  readonly mcpServers: readonly McpEntry[];
}

/** The parts of the context that the choice needs. */
type ChoiceContext = Omit<Context, "renderer"> & { readonly renderer: Pick<Renderer, "note"> };

/** Reads the settings, chooses the agent and prints the notes about both. */
export async function chooseAgent(
  context: ChoiceContext,
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
  return { agent: { ...agent, protocol }, mcpServers: settings.mcpServers };
}

const REMOTE_FILES_NOTE =
  "--remote-files: the agent on the server can use files and terminals of this machine, under your permissions";

/** The settings for this folder. Asks whether to trust the project's settings if there is a terminal. */
export function settingsOf(context: Omit<Context, "renderer">): Promise<LoadedSettings> {
  const { io, values, cwd, asker, interrupts } = context;
  return loadSettings(io, {
    file: values.text("settings"),
    cwd,
    trustProject: values.flag("trust-project"),
    ask:
      asker === undefined
        ? undefined
        : (question) =>
            confirm(asker, interrupts, trustLines(question), "Trust them and start these?"),
  });
}

async function checkFolder({ cwd, values }: Pick<Context, "cwd" | "values">): Promise<void> {
  const isFolder = await stat(cwd).then(
    (found) => found.isDirectory(),
    () => false,
  );
  if (!isFolder) throw usageError(`--cwd ${values.text("cwd") ?? cwd} is not a folder`);
}
