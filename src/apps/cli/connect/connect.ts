import type { AcpClient } from "../../../client/index.ts";
import type { Chosen, SelectedAgent } from "../agents/select.ts";
import { type PermissionPolicy, READ_ONLY } from "../permissions/policy.ts";
import type { AgentFacts } from "../render/renderer.ts";
import { type Secrets, secretHider } from "./secrets.ts";
import type { Meta } from "../../../protocol/acp/index.ts";
import { type Channel, openProcess } from "../../../transport/wire/index.ts";
import { CliError } from "../shell/exit.ts";
import { sanitizeLine, type EnvOverlay } from "../../../base/index.ts";
import type { Context } from "../context/context.ts";
import { alreadyEnding } from "../shell/interrupts.ts";
import type { Phase } from "./failure.ts";
import { StrayOutput } from "./stray-output.ts";
import { withBackpressure } from "../shell/backpressure.ts";
import { openRecordings, recordClose, tapOf } from "./recording.ts";
import { PermissionPrompter, promptUser, showPermissionSubject } from "../permissions/prompter.ts";

export interface RunningAgent {
  readonly client: AcpClient;
  readonly agent: SelectedAgent;
  readonly facts: AgentFacts;
  readonly prompter: PermissionPrompter;
  readonly chosen: Chosen;
  readonly secrets: Secrets;
  /** Whether the agent goes on when this run ends. */
  readonly isWarm: boolean;
  /** Background work, which `close` waits for. */
  readonly background: Promise<unknown>[];
  /** Ends the agent, the background work and the recording. */
  close(): Promise<void>;
}

type Capable = { readonly agent: Pick<AcpClient["agent"], "raw" | "capabilities"> };

/** What the agent can do, with capabilities that the library does not know. */
export function rawCapabilities({ agent }: Capable): unknown {
  return agent.raw["agentCapabilities"] ?? agent.capabilities;
}

/** The capabilities as the agent spelled them: v2 and one dialect have names of their own. */
export function sentCapabilities({ agent: { raw } }: Capable): unknown {
  return raw["agentCapabilities"] ?? raw["agent_capabilities"] ?? raw["capabilities"];
}

/** The client library is most of the code, so it is loaded while the agent's process starts. */
const library = () => import("./client.ts");

/**
 * Starts the chosen agent, initializes it, and signs in if `--auth` asks for it. Throws a CliError.
 */
export async function connect(
  context: Context,
  chosen: Chosen,
  policy: PermissionPolicy,
): Promise<RunningAgent> {
  const connected = await signedIn(context, await start(context, chosen, policy), policy);
  context.renderer.agent(connected.facts);
  return connected;
}

/** Signs in if `--auth` is given. After a login in the terminal, the agent must be restarted to see it. */
async function signedIn(
  context: Context,
  connected: RunningAgent,
  policy: PermissionPolicy,
): Promise<RunningAgent> {
  const method = context.values.text("auth");
  if (method === undefined) return connected;
  try {
    const done = await runPhase(context, connected, "login", async (signal) =>
      (await library()).signIn(context, connected, method, signal),
    );
    if (done) return connected;
  } catch (error) {
    await connected.close();
    throw error;
  }
  await connected.close();
  return start(context, connected.chosen, policy, true);
}

/** A start that takes this long is worth a line about warm agents. */
const SLOW_START_MS = 2000;

async function start(
  context: Context,
  chosen: Chosen,
  policy: PermissionPolicy,
  fresh = false,
): Promise<RunningAgent> {
  const startedAt = context.io.now();
  const running = await startWith(context, chosen, policy, async (opening) => {
    const channel = await openWarm(context, chosen, policy, opening.secrets, fresh);
    if (channel) return { channel, isWarm: true };
    return { channel: await openAgent(context, chosen.agent, opening), isWarm: false };
  });
  if (!running.isWarm && policy !== READ_ONLY)
    running.background.push(adviseWarm(context, chosen.agent, startedAt));
  return running;
}

/** The context of the function that opens the channel to an agent. */
export interface Opening {
  readonly stderr: (text: string) => void;
  readonly secrets: Secrets;
  /** Aborted when the user gives up. */
  readonly signal: AbortSignal;
}

/** Initializes an agent that `open` connects to. Throws a CliError. */
export async function startWith(
  context: Context,
  chosen: Chosen,
  policy: PermissionPolicy,
  open: (opening: Opening) => Promise<{ readonly channel: Channel; readonly isWarm: boolean }>,
  meta?: Meta,
): Promise<RunningAgent> {
  const { io, screen, renderer, interrupts } = context;
  const { agent } = chosen;
  const secrets = secretHider(agent, chosen.mcpServers);
  const stray = new StrayOutput(context, secrets);
  const client = { name: "dragoman", version: io.version };
  const run = { agent, client, cwd: context.cwd, secrets };
  const { record, files } = await openRecordings(context, run);
  const prompter = new PermissionPrompter({
    policy,
    ready: (request) => showPermissionSubject(context, request),
    ask: (request) => promptUser(context, agent, request),
    report: (facts) => {
      renderer.permission(facts);
      record?.permission(facts);
    },
  });
  const controller = new AbortController();
  const { signal } = controller;
  const stop = interrupts.listen({ first: () => controller.abort(), second: alreadyEnding });
  let close = (): Promise<unknown> => Promise.resolve();
  const background: Promise<unknown>[] = [];
  let ended: Promise<void> | undefined;
  const end = async (): Promise<void> => {
    await Promise.all([close(), ...background]);
    await ended;
    stray.end();
    await Promise.all(files.map((file) => file.end()));
  };
  try {
    signal.throwIfAborted();
    context.frames?.selected(agent);
    screen.status(`starting ${sanitizeLine(agent.name)}`);
    const stderr = (text: string): void => {
      stray.stderr(text);
      record?.stderr(text);
    };
    const { channel, isWarm } = await open({ stderr, secrets, signal });
    close = () => channel.close();
    ended = record && channel.closed.then((reason) => recordClose(record, reason));
    signal.addEventListener("abort", () => void channel.close());
    // Not before the process has started: loading would hold up its start.
    const { startClient } = await library();
    // The signal may have arrived meanwhile.
    signal.throwIfAborted();
    const tap = tapOf(context, record);
    const paced = withBackpressure(channel, [screen, ...files]);
    const parts = { agent, policy, prompter, channel: paced, tap, logger: stray.logger, meta };
    const started = await startClient(context, parts);
    close = () => started.close();
    const facts = factsOf(agent, started);
    const state = { agent, facts, prompter, chosen, secrets, isWarm, background };
    return { client: started, ...state, close: end };
  } catch (error) {
    stray.forget();
    await end();
    throw await phaseFailure(context, { agent, secrets }, "start", error);
  } finally {
    stop();
  }
}

/**
 * Connects to a warm agent. Resolves with undefined if there is none to use. A command that sends no
 * prompt always starts an agent of its own.
 */
async function openWarm(
  context: Context,
  chosen: Chosen,
  policy: PermissionPolicy,
  secrets: Secrets,
  fresh: boolean,
): Promise<Channel | undefined> {
  const { warmMs = 0 } = chosen.agent;
  if (warmMs === 0 || policy === READ_ONLY) return undefined;
  const warm = await import("../warm/hub-client.ts");
  return warm.openWarm(context, chosen, secrets.values, { warmMs, fresh });
}

async function adviseWarm(
  context: Context,
  agent: SelectedAgent,
  startedAt: number,
): Promise<void> {
  const ms = context.io.now() - startedAt;
  if (ms < SLOW_START_MS || agent.remote || agent.warmMs !== undefined) return;
  const { adviseOnce } = await import("../warm/hub-client.ts");
  await adviseOnce(context, agent.name, ms);
}

/**
 * Runs a step that talks to the agent. The first signal aborts the step, the second ends the agent.
 * Errors that the step throws become a CliError of its phase.
 */
export async function runPhase<T>(
  context: Context,
  connected: RunningAgent,
  phase: Phase,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  try {
    return await context.interrupts.aborting(work, () => void connected.client.close());
  } catch (error) {
    throw await phaseFailure(context, connected, phase, error);
  }
}

/**
 * The failure to report for an error: the signal if one arrived, otherwise the classified error.
 * Secrets are removed from its text.
 */
export async function phaseFailure(
  { interrupts, values }: Context,
  { agent, secrets }: Pick<RunningAgent, "agent" | "secrets">,
  phase: Phase,
  error: unknown,
): Promise<CliError> {
  const { classifyFailure, runTimeouts } = await library();
  const failure =
    interrupts.error() ?? classifyFailure(error, { agent, phase, limits: runTimeouts(values) });
  const { what, stdout, stderr, exit, hint } = failure.details;
  const details = {
    what: secrets.hideAll(what),
    exit,
    stdout: stdout === undefined ? undefined : secrets.hideAll(stdout),
    stderr: stderr === undefined ? undefined : secrets.hideAll(stderr),
    // Hints name variables and flags to set, which are not secrets.
    hint: hint === undefined ? undefined : secrets.hideKnown(hint),
  };
  return new CliError(failure.exit, details, { cause: failure.cause });
}

function factsOf(agent: SelectedAgent, client: AcpClient): AgentFacts {
  const { info, protocolVersion } = client.agent;
  return {
    name: agent.name,
    command: agent.command,
    title: info?.title ?? info?.name,
    version: info?.version,
    protocolVersion,
  };
}

export interface OpenAgentOptions {
  readonly stderr: (text: string) => void;
  /** The environment of the process. Default: that of this process, with the variables of the agent. */
  readonly env?: EnvOverlay | undefined;
  /** Ends the connecting to a server. */
  readonly signal?: AbortSignal | undefined;
}

/** Starts the process of an agent in the workspace, or connects to the agent if it is on a server. */
export async function openAgent(
  { io, cwd, values }: Context,
  { command, args, env, remote }: SelectedAgent,
  { stderr, env: given = { ...io.env, ...env }, signal }: OpenAgentOptions,
): Promise<Channel> {
  if (!remote) return openProcess({ command, args, cwd, env: given, onStderr: stderr });
  const { openUrl, runTimeouts } = await import("./client.ts");
  return openUrl(remote, runTimeouts(values).start, signal ?? new AbortController().signal);
}
