import { once } from "node:events";
import {
  type CommandLine,
  OutputBuffer,
  ProcessTree,
  quiet,
  within,
  describeExit,
  type ExitStatus,
} from "../../../base/index.ts";
import { RawLineSplitter, WROTE_TOO_MUCH } from "./raw-lines.ts";
import type { ProcessControl, Transport, TransportEnd } from "./transport.ts";

const STDERR_TAIL_BYTES = 20_000;
const TERM_MS = 500;
/** Last resort: a process that escaped may hold the pipe of an exited process open. */
const HELD_PIPE_MS = 1000;

/** Starts a command whose stdin and stdout are the wire. Rejects with a SpawnError. */
export async function startProcessTransport(line: CommandLine): Promise<Transport> {
  const tree = await ProcessTree.start(line, { stdio: ["pipe", "pipe", "pipe"] });
  const { stdin, stdout, stderr } = tree.child;
  if (!stdin || !stdout || !stderr) throw new Error("the started process has no pipes");
  let stderrBytes = 0;
  const tail = new OutputBuffer(STDERR_TAIL_BYTES);
  const exited = quiet(
    new Promise<ExitStatus>((resolve) => {
      tree.child.once("exit", (code, signal) => resolve({ code, signal }));
    }),
  );
  const outputOver = quiet(once(stdout, "close").catch(() => {}));
  // When a process exits, Node makes the streams in this list flow, even one that a case has paused.
  Reflect.set(tree.child.stdio, 1, null);
  stdin.on("error", () => {});
  stdout.on("error", () => {});
  stderr.on("error", () => {});
  stderr.on("data", (chunk: Buffer) => {
    stderrBytes += chunk.length;
    tail.push(chunk);
  });
  let ending: Promise<void> | undefined;
  // A subject that has to end in the middle of a line is not to blame for the missing rest.
  let isToldToEnd = false;
  const endInput = (): void => {
    isToldToEnd = true;
    stdin.end();
  };
  let isFlood = false;
  let drained: Promise<unknown> | undefined;
  const finish = async (): Promise<void> => {
    endInput();
    await tree.end(TERM_MS);
    await within(exited, TERM_MS);
    tree.release();
    stdin.destroy();
    stdout.destroy();
    stderr.destroy();
  };
  const control: ProcessControl = {
    pid: tree.pid,
    exited,
    endInput,
    pause: () => void stdout.pause(),
    resume: () => void stdout.resume(),
    closeOutput: () => void stdout.destroy(),
    signal: (name) => {
      isToldToEnd = true;
      tree.child.kill(name);
    },
    pids: () => tree.pids(),
  };
  const transport: Transport = {
    open(receive) {
      const lines = new RawLineSplitter(receive, () => {
        isFlood = true;
        void transport.end();
      });
      stdout.on("data", (chunk: Buffer) => lines.push(chunk));
      stdout.on("end", () => {
        if (!isToldToEnd) lines.end();
      });
    },
    async write(bytes) {
      if (stdin.destroyed || stdin.writableEnded) return;
      if (stdin.write(bytes)) return;
      // One listener for all pending writes: an agent that does not read can cause many.
      drained ??= once(stdin, "drain")
        .catch(() => {})
        .then(() => (drained = undefined));
      await Promise.race([drained, exited]);
    },
    process: control,
    ended: quiet(
      exited.then(async (exit): Promise<TransportEnd> => {
        await within(outputOver, HELD_PIPE_MS);
        return { how: isFlood ? WROTE_TOO_MUCH : describeExit(exit), exit };
      }),
    ),
    stderr: () => tail.text(),
    stderrBytes: () => stderrBytes,
    end: () => (ending ??= quiet(finish())),
  };
  return transport;
}
