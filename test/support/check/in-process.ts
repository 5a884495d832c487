import { fileURLToPath } from "node:url";
import {
  RawLineSplitter,
  WROTE_TOO_MUCH,
  type RawLine,
} from "../../../src/conformance/check/harness/raw-lines.ts";
import type { Transport, TransportEnd } from "../../../src/conformance/check/harness/transport.ts";
import {
  type AgentSubject,
  commandSubject,
  type StartPlace,
} from "../../../src/conformance/check/subject/subject.ts";
import { deferred } from "../../../src/base/index.ts";
import { serve } from "./basic-agent/serve.mjs";
import { handlersOfV2 } from "./basic-agent/v2.mjs";
import { serve as serveModel } from "./model-agent/serve.mjs";

/** The basic agent without a process of its own, which starts at once. */
export function basicInProcess(...switches: readonly string[]): AgentSubject {
  return inProcess(`basic agent ${switches.join(" ")}`, ({ place }, output) =>
    serve({ ...output, switches: new Set(switches), env: envOf(place) }),
  );
}

/** The agent of version 2, in this process. */
export function v2InProcess(...switches: readonly string[]): AgentSubject {
  return inProcess(`agent of version 2 ${switches.join(" ")}`, ({ place }, output) =>
    serve({
      ...output,
      switches: new Set(switches),
      env: envOf(place),
      handlers: handlersOfV2,
    }),
  );
}

/** The right agent with a model, in this process; or with a defect, or another way to be right. */
export function modelInProcess({ defect, variant }: ModelSwitches = {}): AgentSubject {
  return {
    ...inProcess(`model agent ${defect ?? variant ?? ""}`, ({ place, modelUrl }, { write }) =>
      serveModel({
        defect,
        variant,
        env: { ...place.env(), MODEL_URL: `${modelUrl}/v1` },
        cwd: place.home,
        output: {
          write: (line: string) => (write(line), true),
          isFull: () => false,
          drained: () => Promise.resolve(),
        },
      }),
    ),
    hasModel: true,
  };
}

interface ModelSwitches {
  readonly defect?: string | undefined;
  readonly variant?: string | undefined;
}

/** The agent with a model, as a program. */
export function modelProgram(defect?: string): AgentSubject {
  const program = fileURLToPath(new URL("model-agent.mjs", import.meta.url));
  return commandSubject({
    command: process.execPath,
    args: [program, ...(defect === undefined ? [] : ["--defect", defect])],
    modelEnv: { MODEL_URL: "{url}/v1" },
  });
}

function envOf({ home, secret }: StartPlace["place"]): Record<string, string> {
  return { HOME: home, DRAGOMAN_CHECK_API_KEY: secret };
}

/** The basic agent as a program. */
export function basicProgram(...switches: readonly string[]): AgentSubject {
  const program = fileURLToPath(new URL("basic-agent.mjs", import.meta.url));
  return commandSubject({ command: process.execPath, args: [program, ...switches] });
}

/** Where an agent in this process writes, and how it exits. */
interface Output {
  readonly write: (bytes: string | Uint8Array) => void;
  readonly exit: (code: number) => void;
}

/** An agent in this process. `end` ends everything that it has started. */
interface Served {
  read(chunk: Uint8Array): void;
  end?(): unknown;
}

function inProcess(
  name: string,
  start: (place: StartPlace, output: Output) => Served,
): AgentSubject {
  return {
    name: name.trim(),
    command: name.trim(),
    isLocal: false,
    hasModel: false,
    connect: (place) => Promise.resolve(connect((output) => start(place, output))),
  };
}

function connect(start: (output: Output) => Served): Transport {
  const { promise: ended, resolve: end } = deferred<TransportEnd>();
  let isOver = false;
  let receive: ((line: RawLine) => void) | undefined;
  const waiting: RawLine[] = [];
  const lines = new RawLineSplitter(
    (line) => {
      if (receive) receive(line);
      else waiting.push(line);
    },
    () => finish(WROTE_TOO_MUCH),
  );
  const finish = (how: string): void => {
    isOver = true;
    end({ how });
  };
  const agent = start({
    // Never in the same turn, as over a pipe.
    write: (bytes) =>
      void setImmediate(() => {
        if (!isOver) lines.push(Buffer.from(bytes));
      }),
    exit: (code) => finish(`exited with code ${code}`),
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
    end: async () => {
      if (!isOver) agent.end?.();
      finish("was ended");
    },
  };
}
