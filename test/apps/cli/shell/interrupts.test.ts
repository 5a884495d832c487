import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { Interrupts } from "../../../../src/apps/cli/shell/interrupts.ts";
import { fakeIo, type FakeIoOptions } from "../support/io.ts";
import { isAlive, start, withAgent } from "../support/run.ts";
import { foldersForAll } from "../commands/setup.ts";

const folders = foldersForAll();
describe("a signal", () => {
  it.each([
    ["SIGINT", 130, "; press Ctrl-C again to end it at once"],
    ["SIGTERM", 143, ""],
    ["SIGHUP", 129, ""],
  ] as const)("asks the agent to cancel the first time (%s)", async (name, code, more) => {
    const file = join(folders.cwd, `pid-${name}`);
    const { io, ended } = start([...withAgent(`pid-file=${file}`), "hang"], folders);
    await io.out.waitFor("waiting");
    io.signal(name);
    const result = await ended;
    expect(result.code).toBe(code);
    expect(result.err).toContain(`asking node to cancel${more}\n`);
    expect(result.out).toBe("waiting");
    expect(isAlive(Number(await readFile(file, "utf8")))).toBe(false);
    expect(io.listening()).toBe(0);
  });

  it("ends the agent the second time", async () => {
    const file = join(folders.cwd, "pid-second");
    const { io, ended } = start(
      [...withAgent(`pid-file=${file}`, "ignore-signals", "ignore-eof"), "deaf"],
      folders,
    );
    await io.out.waitFor("waiting");
    io.signal("SIGINT");
    await io.err.waitFor("asking node to cancel");
    io.signal("SIGINT");
    const { code, last } = await ended;
    expect({ code, last }).toEqual({ code: 130, last: "interrupted" });
    expect(isAlive(Number(await readFile(file, "utf8")))).toBe(false);
  });

  it("ends an agent that ignores the cancel after a while, and the exit code is still 130", async () => {
    const file = join(folders.cwd, "pid-deaf");
    const { io, ended } = start([...withAgent(`pid-file=${file}`), "deaf"], {
      ...folders,
      timing: { cancelGraceMs: 50 },
    });
    await io.out.waitFor("waiting");
    io.signal("SIGINT");
    expect((await ended).code).toBe(130);
    expect(isAlive(Number(await readFile(file, "utf8")))).toBe(false);
  });

  it.each(["hang-in-initialize", "hang-in-session"])(
    "ends the run at once during %s, without blaming the agent",
    async (how) => {
      const file = join(folders.cwd, `pid-${how}`);
      const { io, ended } = start([...withAgent(how, `pid-file=${file}`), "-j", "x"], folders);
      await io.out.waitFor(how === "hang-in-session" ? '"session/new"' : '"initialize"');
      io.signal("SIGINT");
      const { code, err } = await ended;
      expect({ code, err }).toEqual({ code: 130, err: "dragoman: interrupted\n" });
      expect(isAlive(Number(await readFile(file, "utf8")))).toBe(false);
    },
  );
});

describe("the signals of a run", () => {
  const listening = (timing?: FakeIoOptions["timing"]) => {
    const io = fakeIo(timing === undefined ? {} : { timing });
    const calls: string[] = [];
    const listener = (name: string) => ({ first: () => void calls.push(`${name} first`) });
    const agent = { ...listener("agent"), second: () => void calls.push("agent second") };
    return { io, calls, listener, agent, interrupts: new Interrupts(io) };
  };

  it.each([
    ["SIGINT", "SIGINT"],
    ["SIGINT", "SIGTERM"],
    ["SIGTERM", "SIGINT"],
    ["SIGHUP", "SIGHUP"],
  ] as const)(
    "end the program with the second if there is no listener (%s, %s)",
    (first, second) => {
      const { io } = listening();
      io.signal(first);
      expect(io.endedBy).toEqual([]);
      io.signal(second);
      expect(io.endedBy).toEqual([first]);
    },
  );

  it("end the program with the second if the listener has no agent to end", () => {
    const { io, calls, interrupts, listener } = listening();
    interrupts.listen(listener("question"));
    io.signal("SIGINT");
    io.signal("SIGINT");
    expect({ calls, endedBy: io.endedBy }).toEqual({
      calls: ["question first"],
      endedBy: ["SIGINT"],
    });
  });

  it("end the agent with the second, and the program with the third", () => {
    const { io, calls, interrupts, agent } = listening();
    interrupts.listen(agent);
    io.signal("SIGINT");
    io.signal("SIGTERM");
    expect({ calls, endedBy: io.endedBy }).toEqual({
      calls: ["agent first", "agent second"],
      endedBy: [],
    });
    io.signal("SIGINT");
    expect(io.endedBy).toEqual(["SIGINT"]);
  });

  it("end the program if the agent's end takes too long", async () => {
    const { io, interrupts, agent } = listening({ secondSignalMs: 1 });
    interrupts.listen(agent);
    io.signal("SIGTERM");
    io.signal("SIGTERM");
    await expect.poll(() => io.endedBy).toEqual(["SIGTERM"]);
  });

  it("are handled by the next listener if there was none", () => {
    const { io, calls, interrupts, listener, agent } = listening();
    io.signal("SIGINT");
    const stop = interrupts.listen(listener("next"));
    stop();
    interrupts.listen(agent);
    expect(calls).toEqual(["next first"]);
  });

  it("count from the start after a reset", () => {
    const { io, calls, interrupts, agent } = listening();
    interrupts.listen(agent);
    io.signal("SIGINT");
    interrupts.reset();
    io.signal("SIGINT");
    expect({ calls, endedBy: io.endedBy }).toEqual({
      calls: ["agent first", "agent first"],
      endedBy: [],
    });
  });
});
