import { SpawnError, describeExit } from "../../../../base/index.ts";
import {
  type Channel,
  type Direction,
  reserveStdio,
  stdioChannel,
} from "../../../../transport/wire/index.ts";
import { chooseAgent, type Chosen } from "../../agents/choose.ts";
import { failureOf } from "../../connect/connect.ts";
import { Noise } from "../../connect/noise.ts";
import { openAgent } from "../../connect/open-agent.ts";
import { pacedChannel } from "../../shell/paced-channel.ts";
import { secretHider } from "../../connect/secrets.ts";
import { CliError, EXIT, type ExitCode } from "../../shell/exit.ts";
import { proxyRecording, type ProxyRecording } from "../../connect/proxy-recording.ts";
import type { Context } from "../../context/context.ts";
import { relayBytes, type RelayEnd, type RelayWatcher } from "./byte-relay.ts";
import { openInspector } from "../../inspect/inspector.ts";

/**
 * Stands between an editor and an agent, byte for byte, and shows what they say. Throws a CliError if the agent
 * cannot be started or dies.
 */
export async function relay(context: Context, commandLine: string | undefined): Promise<ExitCode> {
  const { interrupts } = context;
  const chosen = await chooseAgent(context, undefined, commandLine);
  const { agent } = chosen;
  const secrets = secretHider(agent, chosen.mcpServers);
  const inspector = await openInspector(context);
  const noise = new Noise(context, secrets, true);
  const stopping = new AbortController();
  const stop = interrupts.listen({ first: () => stopping.abort() });
  try {
    await inspector.announce(agent.name);
    const { keepSecrets } = inspector;
    const file = inspector.file(agent.name);
    const run = { agent, cwd: context.cwd, secrets, keepSecrets };
    const recording = proxyRecording(file, run);
    const watcher = watcherOf(recording, noise);
    const parts = { context, chosen, watcher, recording, signal: stopping.signal };
    const code = await (agent.remote ? relayLines(parts) : relayProcess(parts));
    await recording.end();
    const interrupted = interrupts.error();
    if (interrupted !== undefined) throw interrupted;
    return code;
  } finally {
    stop();
    noise.end();
    await inspector.close();
  }
}

interface RelayParts {
  readonly context: Context;
  readonly chosen: Chosen;
  readonly watcher: RelayWatcher;
  readonly recording: ProxyRecording;
  readonly signal: AbortSignal;
}

function watcherOf(recording: ProxyRecording, noise: Noise): RelayWatcher {
  return {
    get isOverloaded() {
      return recording.isOverloaded;
    },
    relieved: () => recording.relieved(),
    line: (direction: Direction, line: string) =>
      recording.line({ at: Date.now(), monotonic: performance.now(), direction, line }),
    stderr: (text) => {
      noise.stderr(text);
      recording.stderr(text);
    },
    note: (text) => recording.note(text),
  };
}

async function relayProcess(parts: RelayParts): Promise<ExitCode> {
  const { context, chosen, watcher, recording, signal } = parts;
  const { command, args, env } = chosen.agent;
  const stdio = reserveStdio();
  const line = { command, args, cwd: context.cwd, env: { ...context.io.env, ...env } };
  try {
    const end = await relayBytes(line, stdio, watcher, signal);
    const { exit } = end;
    recording.agentEnded(
      end.by === "agent" ? { kind: "exited", exit, stderr: "" } : { kind: "closed", exit },
    );
    return exitCode(chosen, end);
  } catch (error) {
    if (!(error instanceof SpawnError)) throw error;
    recording.note(error.message);
    const secrets = secretHider(chosen.agent, chosen.mcpServers);
    throw await failureOf(context, { agent: chosen.agent, secrets }, "start", error);
  } finally {
    stdio.release();
    stdio.input.destroy();
    stdio.output.destroy();
  }
}

function exitCode({ agent }: Chosen, { by, exit }: RelayEnd): ExitCode {
  if (by !== "agent" || exit.code === 0) return EXIT.done;
  throw new CliError("died", { what: `${agent.name} ended`, exit: describeExit(exit) });
}

/** An agent on a server has no bytes to pass on, only messages. */
async function relayLines(parts: RelayParts): Promise<ExitCode> {
  const { context, chosen, watcher, recording, signal } = parts;
  const opened = await openAgent(context, chosen.agent, {
    stderr: (text) => watcher.stderr(text),
  });
  const agent = pacedChannel(opened, [watcher]);
  const client = recording.tapped(stdioChannel());
  signal.addEventListener("abort", () => void client.close());
  forward(client, agent);
  forward(agent, client);
  await Promise.race([client.closed, agent.closed]);
  const [, reason] = await Promise.all([client.close(), agent.close()]);
  recording.agentEnded(reason);
  return EXIT.done;
}

/** How many lines may wait for the slower side. */
const MOST_WAITING = 64;

/** Sends every line of one channel on the other, at the pace of the slower side. */
function forward(from: Channel, to: Channel): void {
  let waiting = 0;
  from.open((line) => {
    if (++waiting === MOST_WAITING) from.pause();
    const sent = (): void => {
      if (waiting-- === MOST_WAITING) from.resume();
    };
    // A channel that is closed ends the relay.
    to.send(line).then(sent, sent);
  });
}
