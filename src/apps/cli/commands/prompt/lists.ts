import type { AvailableCommand } from "../../../../protocol/acp/index.ts";
import type { Session } from "../../../../client/index.ts";
import type { Values } from "../../shell/parse.ts";
import { during } from "../../connect/connect.ts";
import { sentCapabilities, type RunningAgent } from "../../connect/running-agent.ts";
import type { Context } from "../../context/context.ts";
import { listedChoices } from "../../render/text/facts.ts";
import { markCommandsReported } from "../../session/turn.ts";

/** How long an agent may take to send its commands once the session is open. */
const COMMANDS_WAIT_MS = 3000;

/** Which lists the flags ask for. */
export function listsOf(values: Values): RequestedLists {
  return {
    caps: values.flag("list-caps"),
    modes: values.flag("list-modes"),
    models: values.flag("list-models"),
    options: values.flag("list-options"),
    commands: values.flag("list-commands"),
  };
}

/** The lists that the flags ask for. All but the first need a session. */
export interface RequestedLists {
  readonly caps: boolean;
  readonly modes: boolean;
  readonly models: boolean;
  readonly options: boolean;
  readonly commands: boolean;
}

/** Whether a session is needed to print the lists. */
export function needSession({ modes, models, options, commands }: RequestedLists): boolean {
  return modes || models || options || commands;
}

/** Prints the lists that need a session. */
export async function showSessionLists(
  context: Context,
  connected: RunningAgent,
  session: Session,
  lists: RequestedLists,
): Promise<void> {
  if (lists.modes) showModes(context, connected, session);
  if (lists.models) showModels(context, connected, session);
  if (lists.options)
    context.renderer.options({ agent: connected.facts, options: session.configOptions ?? [] });
  if (lists.commands) await showCommands(context, connected, session);
}

/** `--list-caps`: prints the capabilities that the agent sent. */
export function showCaps({ renderer }: Context, { client, facts }: RunningAgent): void {
  const { authMethods } = client.agent;
  renderer.caps({
    agent: facts,
    capabilities: sentCapabilities(client) ?? {},
    authMethods: authMethods.map(({ id, name }) => ({ id, name })),
  });
}

/** `--list-models`: prints the values of the config option for models. */
function showModels({ renderer }: Context, { facts }: RunningAgent, session: Session): void {
  const option = session.configOptions?.find(({ category }) => category === "model");
  renderer.models({
    agent: facts,
    current: option?.type === "select" ? option.currentValue : undefined,
    models: option?.type === "select" ? listedChoices(option) : [],
  });
}

/** `--list-modes`: prints the modes of the session, or of the config option that replaces them. */
export function showModes({ renderer }: Context, { facts }: RunningAgent, session: Session): void {
  const option = session.configOptions?.find(({ category }) => category === "mode");
  if (option?.type === "select") {
    const { currentValue: current } = option;
    renderer.modes({ agent: facts, current, modes: listedChoices(option) });
    return;
  }
  const { modes } = session;
  renderer.modes({
    agent: facts,
    current: modes?.currentModeId,
    modes: modes?.availableModes ?? [],
  });
}

/** `--list-commands`: prints the agent's commands, which it has a limited time to send. */
export async function showCommands(
  context: Context,
  connected: RunningAgent,
  session: Session,
): Promise<void> {
  const commands = await during(context, connected, "session", (signal) =>
    waitForCommands(session, context.io.timing?.commandsWaitMs ?? COMMANDS_WAIT_MS, signal),
  );
  context.renderer.commands({
    agent: connected.facts,
    commands: commands ?? [],
    received: commands !== undefined,
  });
  markCommandsReported(session);
}

async function waitForCommands(
  session: Session,
  ms: number,
  signal: AbortSignal,
): Promise<readonly AvailableCommand[] | undefined> {
  if (session.commands.length > 0) return session.commands;
  const updates = session.updates();
  const stop = (): void => void updates.return?.();
  const timer = setTimeout(stop, ms);
  signal.addEventListener("abort", stop, { once: true });
  try {
    for await (const update of updates) {
      if (update.type === "available_commands_update") return update.commands;
    }
    signal.throwIfAborted();
    return undefined;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", stop);
  }
}
