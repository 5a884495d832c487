// Output that is not read must not fill the memory, whatever causes it.
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

import { withBackpressure } from "../../../../src/apps/cli/shell/backpressure.ts";
import { deferred } from "../../../../src/base/index.ts";
import { memoryPair } from "../../../../src/transport/wire/index.ts";
import { events, start } from "../support/run.ts";
import { foldersForAll } from "../commands/setup.ts";

const MIB = 1024 * 1024;
const AGENT = fileURLToPath(new URL("../../../support/agents/flooding.mjs", import.meta.url));

const folders = foldersForAll();

/** Starts one turn of the flooding agent, which a time limit ends. */
function flood(prompt: string, ...options: readonly string[]) {
  const argv = ["--agent-command", `node ${AGENT}`, "--no-stdin", ...options, prompt];
  return start(argv, { ...folders, timing: { cancelGraceMs: 100 } });
}

describe("output that is not read makes the agent wait", () => {
  const PERMISSIONS = "requests session/request_permission 20000 4000";
  it.each([
    ["events about permissions", "stdout", PERMISSIONS, ["-o", "events"]],
    ["frames", "stdout", "requests unknown 100000", ["-o", "jsonl"]],
    ["lines about denied permissions", "stderr", PERMISSIONS, []],
    ["lines about plans", "stderr", "plans 5000 10000", []],
    ["lines that are not messages", "stderr", "noise 40", ["-v"]],
    ["stderr of the agent", "stderr", "stderr 40", ["-v"]],
  ] as const)("if it consists of %s", async (_, name, prompt, options) => {
    const { io, ended } = flood(prompt, "--timeout", "2s", ...options);
    const sink = name === "stdout" ? io.out : io.err;
    sink.stall();
    await ended;
    // Up to 1,000 requests were being answered, and the result lists denials.
    expect(sink.writableLength).toBeGreaterThan(MIB / 2);
    expect(sink.writableLength).toBeLessThan(8 * MIB);
  });

  it("until it is read: nothing is lost", async () => {
    const { io, ended } = flood("requests session/request_permission 10000", "-o", "events");
    io.out.stall();
    await expect.poll(() => io.out.writableLength, { timeout: 20_000 }).toBeGreaterThan(MIB);
    io.out.read();
    const { code, out } = await ended;
    expect(code).toBe(0);
    expect(events(out).filter(({ type }) => type === "permission")).toHaveLength(10_000);
  });

  it("until it is read, and says how many lines of the agent's stderr are missing", async () => {
    const { io, ended } = flood("stderr 4", "-v");
    io.err.stall();
    await expect.poll(() => io.err.writableLength, { timeout: 20_000 }).toBeGreaterThan(MIB);
    await ended;
    io.err.read();
    const lines = io.err.text.split("\n");
    const printed = lines.filter((line) => line.startsWith("[stderr] ")).length;
    const missing = /^\[missing\] (\d+) lines, because the output was not read$/m.exec(io.err.text);
    // A long piece without a newline is printed as a line of its own.
    expect(printed + Number(missing?.[1])).toBeGreaterThanOrEqual(4000);
  });
});

describe("a channel that waits for outputs", () => {
  function paced() {
    const [near, far] = memoryPair();
    const gate = deferred();
    const output = { isOverloaded: false, relieved: () => gate.promise };
    const channel = withBackpressure(near, [output]);
    const lines: string[] = [];
    channel.open((line) => lines.push(line));
    const settled = async (): Promise<void> => {
      for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
    };
    const relieve = (): void => {
      output.isOverloaded = false;
      gate.resolve();
    };
    return { channel, far, output, lines, settled, relieve };
  }

  it("is not read until they are relieved", async () => {
    const { far, output, lines, settled, relieve } = paced();
    output.isOverloaded = true;
    void far.send("1");
    await settled();
    void far.send("2");
    await settled();
    expect(lines).toEqual(["1"]);
    relieve();
    await settled();
    expect(lines).toEqual(["1", "2"]);
  });

  it("stays paused for its reader when they are relieved, and for them when its reader resumes", async () => {
    const { channel, far, output, lines, settled, relieve } = paced();
    output.isOverloaded = true;
    void far.send("1");
    await settled();
    channel.pause();
    channel.resume();
    void far.send("2");
    await settled();
    expect(lines).toEqual(["1"]);
    channel.pause();
    relieve();
    await settled();
    expect(lines).toEqual(["1"]);
    channel.resume();
    await settled();
    expect(lines).toEqual(["1", "2"]);
  });
});
