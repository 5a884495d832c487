import { authMethod, isTerminalMethod, loginCommand, runInTerminal } from "../../client/auth.ts";
import { AcpClient } from "../../client/client.ts";
import { LoginError } from "../../client/errors.ts";
import { openProcess } from "../../wire/index.ts";
import type { Agent } from "../agents/select.ts";
import { timeOption } from "../args/values.ts";
import { CliError, usageError } from "../exit.ts";
import { PermissionDesk } from "../permissions/desk.ts";
import type { Policy } from "../permissions/policy.ts";
import type { AgentFacts } from "../render/renderer.ts";
import { sanitiseLine } from "../render/sanitise.ts";
import type { Chosen } from "./choose.ts";
import type { Context } from "./context.ts";
import { classify, type Phase } from "./failure.ts";
import { askPerson, gateOptions } from "./gate.ts";
import { Noise } from "./noise.ts";
import { openRecording, tapOf } from "./recording.ts";
import { secretHider, type Secrets } from "./secrets.ts";

/** A running agent. */
export interface Connected {
  readonly client: AcpClient;
  readonly agent: Agent;
  readonly facts: AgentFacts;
  readonly desk: PermissionDesk;
  readonly chosen: Chosen;
  readonly secrets: Secrets;
  /** Ends the agent and everything that belongs to it. */
  close(): Promise<void>;
}

/** How long an agent may take to end a cancelled turn before it is ended. */
export const CANCEL_GRACE_MS = 5000;

/** Without a limit of their own, agents have this long to start. Some take ten seconds. */
const START_MS = 60_000;

/**
 * Starts the chosen agent, gets it through its initialisation, and signs in if `--auth` asks for it.
 * Throws a CliError.
 */
export async function connect(
  context: Context,
  chosen: Chosen,
  policy: Policy,
): Promise<Connected> {
  const connected = await start(context, chosen, policy);
  const method = context.values.text("auth");
  if (method === undefined) return connected;
  try {
    if (await signIn(context, connected, method)) return connected;
  } catch (error) {
    await connected.close();
    throw error;
  }
  // A login in the terminal is seen only by an agent that starts after it.
  await connected.close();
  return start(context, chosen, policy);
}

/** Signs in by a method of the agent's; false if the agent has to be started anew for it. */
function signIn(context: Context, connected: Connected, id: string): Promise<boolean> {
  const { client, agent } = connected;
  return during(context, connected, "session", async (signal) => {
    const method = authMethod(client.agent.authMethods, id);
    if (!isTerminalMethod(method)) {
      await client.authenticate(id, { signal });
      return true;
    }
    if (context.io.stdinKind !== "tty") throw usageError(`the login "${id}" needs a terminal`);
    const { command, args, env } = agent;
    const exit = await runInTerminal(
      loginCommand({ command, args, env, cwd: context.cwd }, method),
    );
    if (exit.code !== 0) throw new LoginError(id, exit);
    return false;
  });
}

async function start(context: Context, chosen: Chosen, policy: Policy): Promise<Connected> {
  const { io, values, screen, renderer, cwd, interrupts } = context;
  const { agent } = chosen;
  const secrets = secretHider(agent.env, chosen.mcpServers);
  const noise = new Noise(context, secrets);
  const recording = await openRecording(values.text("record"), io.cwd);
  const desk = new PermissionDesk({
    policy,
    cwd,
    ask: (request) => askPerson(context, agent, request),
    report: (facts) => renderer.permission(facts),
  });
  const controller = new AbortController();
  const stop = interrupts.listen(() => controller.abort());
  let close = (): Promise<unknown> => Promise.resolve();
  const end = async (): Promise<void> => {
    await close();
    noise.summarise();
    await recording?.end();
  };
  try {
    context.frames?.selected(agent);
    screen.status(`starting ${sanitiseLine(agent.name)}`);
    const channel = await openProcess({
      command: agent.command,
      args: agent.args,
      cwd,
      env: { ...io.env, ...agent.env },
      onStderr: noise.stderr,
    });
    close = () => channel.close();
    controller.signal.addEventListener("abort", () => void channel.close());
    // A signal while the process was being started has to reach it too.
    controller.signal.throwIfAborted();
    const tap = tapOf(context, recording, secrets);
    const client = await AcpClient.start({
      ...gateOptions(context, agent, policy, desk),
      channel,
      ...(tap === undefined ? {} : { tap }),
      clientInfo: { name: "dragoman", title: "Dragoman", version: io.version },
      logger: noise.logger,
      timeouts: {
        start: timeOption(values, "start-timeout") ?? START_MS,
        turn: timeOption(values, "timeout") ?? 0,
        turnIdle: timeOption(values, "idle-timeout") ?? 0,
        cancelGrace: CANCEL_GRACE_MS,
      },
    });
    close = () => client.close();
    const facts = factsOf(agent, client);
    renderer.agent(facts);
    return { client, agent, facts, desk, chosen, secrets, close: end };
  } catch (error) {
    await end();
    throw interrupts.error() ?? safe(classify(error, { agent, phase: "start" }), secrets);
  } finally {
    stop();
  }
}

/**
 * Runs a step that talks to the agent. The first signal gives the step up, the second ends the agent;
 * what the step throws becomes a CliError of its phase.
 */
export async function during<T>(
  context: Context,
  connected: Connected,
  phase: Phase,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const { interrupts } = context;
  const controller = new AbortController();
  const stop = interrupts.listen((_name, count) => {
    controller.abort();
    if (count > 1) void connected.client.close();
  });
  try {
    return await work(controller.signal);
  } catch (error) {
    const { agent, secrets } = connected;
    throw interrupts.error() ?? safe(classify(error, { agent, phase }), secrets);
  } finally {
    stop();
  }
}

/** The same failure without the secrets that may have got into it. */
export function safe(error: CliError, secrets: Secrets): CliError {
  const { what, stderr, exit, hint } = error.details;
  const details = {
    what: secrets.hideAll(what),
    exit,
    stderr: stderr === undefined ? undefined : secrets.hideAll(stderr),
    hint,
  };
  return new CliError(error.exit, details, { cause: error.cause });
}

function factsOf(agent: Agent, client: AcpClient): AgentFacts {
  const { info, protocolVersion } = client.agent;
  return {
    name: agent.name,
    command: agent.command,
    title: info?.title ?? info?.name,
    version: info?.version,
    protocolVersion,
  };
}
