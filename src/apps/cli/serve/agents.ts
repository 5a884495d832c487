import type { HubAgent, AuditEntry } from "../../../host/hub/index.ts";
import type { TokenGrant } from "../../../transport/remote/index.ts";
import { joinCommandLine } from "../../../base/index.ts";
import { findCommand } from "../agents/installed.ts";
import { type SelectedAgent, selectAgent } from "../agents/select.ts";
import type { ParsedCommandLine } from "../shell/parse.ts";
import { StrayOutput } from "../connect/stray-output.ts";
import { openAgent } from "../connect/connect.ts";
import { secretHider } from "../connect/secrets.ts";
import { CliError, usageError } from "../shell/exit.ts";
import { contextSettings, type Context } from "../context/context.ts";
import { type Channel, type Recorder, tapped } from "../../../transport/wire/index.ts";
import { withBackpressure } from "../shell/backpressure.ts";
import { recordClose, runRecorder } from "../connect/recording.ts";
import { decisionOf } from "../connect/proxy-recording.ts";
import { withoutTokens } from "./tokens.ts";

/** The agents that `-a` names, or the one after `--`. Throws a usage error, or one that it cannot start. */
export async function selectAgents(
  context: Context,
  { command: { name: command }, values, words, rest }: ParsedCommandLine,
): Promise<readonly SelectedAgent[]> {
  if (words.length > rest.length) {
    throw usageError(
      `${command} takes no arguments before --, but got "${words[0]}"`,
      `dragoman ${command} -a ${words[0]}`,
    );
  }
  const names = values.of("agent");
  if (names.length > 0 === rest.length > 0) {
    throw usageError(
      names.length > 0 ? "-a and a command contradict each other" : `${command} needs an agent`,
      `dragoman ${command} -a NAME, or dragoman ${command} -- COMMAND`,
    );
  }
  if (new Set(names).size < names.length) throw usageError("an agent is named twice");
  const settings = await contextSettings(context);
  for (const note of settings.notes) context.renderer.note(note);
  const choices =
    names.length > 0
      ? names.map((agent) => ({ agent }))
      : [{ agentCommand: joinCommandLine(rest) }];
  const agents: SelectedAgent[] = [];
  for (const choice of choices) {
    const { agent } = await selectAgent(context.io, choice, settings);
    await expectInstalled(agent, context);
    agents.push(agent);
  }
  return agents;
}

/** An agent is only started with its first client, who could not do anything about a missing command. */
async function expectInstalled({ name, command, entry, remote }: SelectedAgent, context: Context) {
  if (remote || (await findCommand(command, context.io)) !== undefined) return;
  const what = `${name} is not installed: "${command}" was not found`;
  throw new CliError("cannotStart", { what, hint: entry?.install ?? "dragoman agents" });
}

interface HubAgentDeps {
  /** The server's tokens, which agents must not get. */
  readonly grants: () => Promise<readonly TokenGrant[]>;
  /** Reports a failed start, with everything that clients must not know about this machine. */
  readonly failed: (agent: string, error: unknown) => void;
  readonly inspected: InspectedAgents;
}

/** An agent for the hub. It runs in the working folder. */
export function hubAgent(context: Context, agent: SelectedAgent, deps: HubAgentDeps): HubAgent {
  const { name, command, args, env, meta } = agent;
  const { cwd } = context;
  const stray = new StrayOutput(context, secretHider(agent, []));
  return {
    name,
    key: JSON.stringify([command, args, env, cwd]),
    meta,
    open: async () => {
      try {
        const clean = withoutTokens({ ...context.io.env, ...env }, await deps.grants());
        return await deps.inspected.open(agent, stray.stderr, (stderr) =>
          openAgent(context, agent, { stderr, env: clean }),
        );
      } catch (error) {
        deps.failed(name, error);
        throw new Error("the server has the details", { cause: error });
      }
    },
  };
}

/** How each agent, by its name, expects to read a file that does not exist. Pure. */
export function missingFiles(
  agents: readonly SelectedAgent[],
): (name: string) => "error" | "empty" {
  return (name) => {
    const found = agents.find((agent) => agent.name === name);
    return found?.switches.missingFilesReadEmpty === true ? "empty" : "error";
  };
}

type GetText = (text: string) => void;

/** The agents of a server on the page of `--inspect`: a session for each of their processes. */
export class InspectedAgents {
  readonly #context: Context;
  /** How many processes each agent has had, and the recorder of its last one. */
  readonly #started = new Map<string, number>();
  readonly #recorders = new Map<string, Recorder>();

  constructor(context: Context) {
    this.#context = context;
  }

  /** Opens an agent. With `--inspect`, the page shows its messages, its stderr and its end. */
  async open(
    agent: SelectedAgent,
    stderr: GetText,
    open: (stderr: GetText) => Promise<Channel>,
  ): Promise<Channel> {
    const { inspector, cwd } = this.#context;
    if (!inspector) return open(stderr);
    const { name } = agent;
    const number = (this.#started.get(name) ?? 0) + 1;
    this.#started.set(name, number);
    const file = inspector.file(number === 1 ? name : `${name}, process ${number}`);
    const secrets = secretHider(agent, []);
    const record = runRecorder([file], { agent, client: undefined, cwd, secrets });
    this.#recorders.set(name, record);
    try {
      const channel = await open((text) => {
        stderr(text);
        record.stderr(text);
      });
      void channel.closed.then(async (reason) => {
        recordClose(record, reason);
        await file.end();
      });
      return withBackpressure(tapped(channel, record), [file]);
    } catch (error) {
      await file.end();
      throw error;
    }
  }

  decision(entry: AuditEntry): void {
    this.#recorders.get(entry.agent)?.permission(decisionOf(entry));
  }
}
