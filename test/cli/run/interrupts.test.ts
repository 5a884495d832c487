import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isAlive, scratch, start, withAgent, type Scratch } from "../support/run.ts";

let folders: Scratch;
beforeAll(async () => {
  folders = await scratch();
});
afterAll(() => folders.remove());
const where = () => ({ home: folders.home, cwd: folders.cwd });
describe("a signal", () => {
  it.each([
    ["SIGINT", 130, "; press Ctrl-C again to end it at once"],
    ["SIGTERM", 143, ""],
    ["SIGHUP", 129, ""],
  ] as const)("asks the agent to cancel the first time (%s)", async (name, code, more) => {
    const file = join(folders.cwd, `pid-${name}`);
    const { io, ended } = start([...withAgent(`pid-file=${file}`), "hang"], where());
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
      where(),
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
      ...where(),
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
      const { io, ended } = start([...withAgent(how, `pid-file=${file}`), "-j", "x"], where());
      await io.out.waitFor(how === "hang-in-session" ? '"session/new"' : '"initialize"');
      io.signal("SIGINT");
      const { code, err } = await ended;
      expect({ code, err }).toEqual({ code: 130, err: "dragoman: interrupted\n" });
      expect(isAlive(Number(await readFile(file, "utf8")))).toBe(false);
    },
  );
});
