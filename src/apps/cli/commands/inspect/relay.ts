import {
  SpawnError,
  describeExit,
  type CommandLine,
  DEFAULT_STAGES,
  deferred,
  ProcessTree,
  quiet,
  within,
  type ExitStatus,
} from "../../../../base/index.ts";
import {
  type Channel,
  type Direction,
  reserveStdio,
  stdioChannel,
  LineSplitter,
  type ReservedStdio,
} from "../../../../transport/wire/index.ts";
import { phaseFailure, openAgent } from "../../connect/connect.ts";
import { StrayOutput } from "../../connect/stray-output.ts";
import { nextDrain, withBackpressure } from "../../shell/backpressure.ts";
import { secretHider } from "../../connect/secrets.ts";
import { CliError, EXIT, type ExitCode } from "../../shell/exit.ts";
import { proxyRecording, type ProxyRecording } from "../../connect/proxy-recording.ts";
import type { Context } from "../../context/context.ts";
import { openInspector } from "../../inspect/inspector.ts";
import { once } from "node:events";
import type { Readable, Writable } from "node:stream";
import { StringDecoder } from "node:string_decoder";
import { chooseAgent, type Chosen } from "../../agents/select.ts";

/** Stands between an editor and an agent, byte for byte, and shows what they say. */
export async function relay(context: Context, commandLine: string | undefined): Promise<ExitCode> {
  const { interrupts } = context;
  const chosen = await chooseAgent(context, undefined, commandLine);
  const { agent } = chosen;
  const secrets = secretHider(agent, chosen.mcpServers);
  const inspector = await openInspector(context);
  const stray = new StrayOutput(context, secrets, true);
  const stopping = new AbortController();
  const stop = interrupts.listen({ first: () => stopping.abort() });
  try {
    await inspector.announce(agent.name);
    const run = { agent, cwd: context.cwd, secrets };
    const recording = proxyRecording([inspector.file(agent.name)], run);
    const stderr = (text: string): void => {
      stray.stderr(text);
      recording.stderr(text);
    };
    const parts = { context, chosen, recording, stderr, signal: stopping.signal };
    const code = await (agent.remote ? relayLines(parts) : relayProcess(parts));
    await recording.end();
    const interrupted = interrupts.error();
    if (interrupted !== undefined) throw interrupted;
    return code;
  } finally {
    stop();
    stray.end();
    await inspector.close();
  }
}

interface RelayParts {
  readonly context: Context;
  readonly chosen: Chosen;
  readonly recording: ProxyRecording;
  readonly stderr: (text: string) => void;
  readonly signal: AbortSignal;
}

async function relayProcess(parts: RelayParts): Promise<ExitCode> {
  const { context, chosen, recording } = parts;
  const { command, args, env } = chosen.agent;
  const stdio = reserveStdio();
  const line = { command, args, cwd: context.cwd, env: { ...context.io.env, ...env } };
  try {
    const end = await relayBytes(line, stdio, parts);
    const { exit } = end;
    recording.agentEnded(
      end.by === "agent" ? { kind: "exited", exit, stderr: "" } : { kind: "closed", exit },
    );
    return exitCode(chosen, end);
  } catch (error) {
    if (!(error instanceof SpawnError)) throw error;
    recording.note(error.message);
    const secrets = secretHider(chosen.agent, chosen.mcpServers);
    throw await phaseFailure(context, { agent: chosen.agent, secrets }, "start", error);
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
  const { context, chosen, recording, stderr, signal } = parts;
  const opened = await openAgent(context, chosen.agent, { stderr });
  const agent = withBackpressure(opened, [recording]);
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

/** Why a relay ended: the client left, the agent did, or the user ended it. */
interface RelayEnd {
  readonly by: "client" | "user" | "agent";
  readonly exit: ExitStatus;
}

/** Last resort: a process that escaped the tree may hold the pipe of an exited agent open forever. */
const HELD_PIPE_MS = 1000;

/**
 * Starts an agent and passes on the bytes between it and a client, unchanged, until one of them ends. Resolves
 * when nothing of the agent is left and the client has everything it said. Rejects with a SpawnError.
 */
async function relayBytes(
  line: CommandLine,
  stdio: ReservedStdio,
  { recording, stderr: showError, signal }: RelayParts,
): Promise<RelayEnd> {
  const tree = await ProcessTree.start(line, { stdio: ["pipe", "pipe", "pipe"] });
  const { child } = tree;
  const { stdin, stdout, stderr } = child;
  if (!stdin || !stdout || !stderr) throw new Error("the started process has no pipes");
  const exited = once(child, "exit").then(([code, name]): ExitStatus => ({ code, signal: name }));
  const stopped = deferred<RelayEnd["by"]>();
  const ignore = (): void => {};
  stdin.on("error", ignore);
  stdio.output.on("error", () => stopped.resolve("client"));
  stdio.input.on("error", () => stopped.resolve("client"));
  stdio.input.on("end", () => stopped.resolve("client"));
  signal.addEventListener("abort", () => stopped.resolve("user"));
  if (signal.aborted) stopped.resolve("user");
  const fromAgent = pass(stdout, stdio.output, "in", recording);
  const fromClient = pass(stdio.input, stdin, "out", recording);
  const decoder = new StringDecoder("utf8");
  stderr.on("data", (chunk: Buffer) => showError(decoder.write(chunk)));
  const by = await Promise.race([exited.then(() => "agent" as const), stopped.promise]);
  if (by !== "agent") {
    stdin.end();
    if (by === "user" || !(await within(exited, DEFAULT_STAGES.eofMs)))
      await quiet(tree.end(DEFAULT_STAGES.termMs));
  }
  const exit = await exited;
  await tree.end(DEFAULT_STAGES.termMs);
  const rest = fromAgent.finished(HELD_PIPE_MS);
  // A client that is still there reads the rest at its own pace.
  await (by === "agent" ? Promise.race([rest, stopped.promise]) : within(rest, HELD_PIPE_MS));
  await within(closed(stderr), HELD_PIPE_MS);
  fromClient.flush();
  tree.release();
  for (const stream of [stdin, stdout, stderr]) stream.destroy();
  return { by, exit };
}

function closed(stream: Readable): Promise<unknown> {
  return stream.closed ? Promise.resolve() : once(stream, "close").catch(() => {});
}

interface Passing {
  /** Resolves when everything was passed on, or nothing comes for this long. */
  finished(ms: number): Promise<void>;
  /** Shows the last line even if it has no newline. */
  flush(): void;
}

/** Passes bytes on at the pace of the slower side, and shows the lines in them. */
function pass(
  from: Readable,
  to: Writable,
  direction: Direction,
  recording: ProxyRecording,
): Passing {
  const lines = shownLines(direction, recording);
  const ended = deferred();
  let chunks = 0;
  let isWaiting = false;
  const wait = async (): Promise<void> => {
    isWaiting = true;
    from.pause();
    if (to.writableNeedDrain) await nextDrain(to);
    if (recording.isOverloaded) await recording.relieved();
    isWaiting = false;
    from.resume();
  };
  from.on("data", (chunk: Buffer) => {
    chunks++;
    const isFull = to.writable && !to.write(chunk);
    lines.push(chunk);
    if (!isWaiting && (isFull || recording.isOverloaded)) void wait();
  });
  from.on("end", () => ended.resolve());
  from.on("close", () => ended.resolve());
  from.on("error", () => ended.resolve());
  return {
    finished: async (ms) => {
      let seen = -1;
      const isBusy = (): boolean => isWaiting || seen !== chunks;
      while (isBusy()) {
        seen = chunks;
        if (await within(ended.promise, ms)) break;
      }
      lines.end();
      if (to.writableLength > 0 && !to.destroyed) await nextDrain(to);
    },
    flush: lines.end,
  };
}

/** The lines in the bytes of one direction. Showing them must never disturb the bytes. */
function shownLines(direction: Direction, recording: ProxyRecording) {
  const open = (): LineSplitter =>
    new LineSplitter((line) =>
      recording.line({ at: Date.now(), monotonic: performance.now(), direction, line }),
    );
  let splitter = open();
  return {
    push: (chunk: Buffer): void => {
      try {
        splitter.push(chunk);
      } catch (error) {
        splitter = open();
        const who = direction === "in" ? "the agent" : "the client";
        recording.note(`a line of ${who} is not shown: ${String(error)}`);
      }
    },
    end: (): void => splitter.end(),
  };
}
