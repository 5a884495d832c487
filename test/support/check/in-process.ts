import { fileURLToPath } from "node:url";
import { RawLineSplitter, type RawLine } from "../../../src/check/harness/raw-lines.ts";
import type { Transport, TransportEnd } from "../../../src/check/harness/transport.ts";
import { commandSubject } from "../../../src/check/subject/command.ts";
import type { AgentSubject } from "../../../src/check/subject/subject.ts";
import { deferred } from "../../../src/wire/index.ts";
import { serve } from "./basic-agent/serve.mjs";
import { handlersOfV2 } from "./basic-agent/v2.mjs";

/** The basic agent without a process of its own, which starts at once. */
export function basicInProcess(...switches: readonly string[]): AgentSubject {
  return {
    name: `basic agent ${switches.join(" ")}`.trim(),
    command: "basic agent",
    isLocal: false,
    hasModel: false,
    connect: ({ place }) =>
      Promise.resolve(
        connect(new Set(switches), { HOME: place.home, DRAGOMAN_CHECK_API_KEY: place.secret }),
      ),
  };
}

/** The agent of version 2, in this process. */
export function v2InProcess(...switches: readonly string[]): AgentSubject {
  return {
    ...basicInProcess(...switches),
    connect: ({ place: { home, secret } }) =>
      Promise.resolve(
        connect(new Set(switches), { HOME: home, DRAGOMAN_CHECK_API_KEY: secret }, handlersOfV2),
      ),
  };
}

/** The basic agent as a program. */
export function basicProgram(...switches: readonly string[]): AgentSubject {
  const program = fileURLToPath(new URL("basic-agent.mjs", import.meta.url));
  return commandSubject({ command: process.execPath, args: [program, ...switches] });
}

function connect(
  switches: ReadonlySet<string>,
  env: Record<string, string>,
  handlers?: Parameters<typeof serve>[0]["handlers"],
): Transport {
  const { promise: ended, resolve: end } = deferred<TransportEnd>();
  let isOver = false;
  let receive: ((line: RawLine) => void) | undefined;
  const waiting: RawLine[] = [];
  const lines = new RawLineSplitter((line) => {
    if (receive) receive(line);
    else waiting.push(line);
  });
  const finish = (how: string): void => {
    isOver = true;
    end({ how });
  };
  const agent = serve({
    switches,
    env,
    handlers,
    // Never in the same turn, as over a pipe.
    write: (bytes: string | Uint8Array) =>
      void setImmediate(() => {
        if (!isOver) lines.push(Buffer.from(bytes));
      }),
    exit: (code: number) => finish(`exited with code ${code}`),
  });
  return {
    open(to) {
      receive = to;
      for (const line of waiting.splice(0)) to(line);
    },
    write: async (bytes) => {
      await new Promise(setImmediate);
      if (!isOver) agent.read(Buffer.from(bytes));
    },
    process: undefined,
    ended,
    stderr: () => "",
    stderrBytes: () => 0,
    end: async () => finish("was ended"),
  };
}
