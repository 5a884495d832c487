import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { GRAMMAR } from "../../../../src/apps/cli/commands/grammar.ts";
import { limitsOf } from "../../../../src/apps/cli/connect/failure.ts";
import { run, scratch, withAgent, type Scratch } from "../support/run.ts";

let folders: Scratch;
beforeAll(async () => {
  folders = await scratch();
});
afterAll(() => folders.remove());
const where = () => ({ home: folders.home, cwd: folders.cwd });
const prompt = (...argv: string[]) => run([...withAgent(), ...argv], where());
describe("time limits", () => {
  it.each([
    ["--timeout", "hang", "the turn took longer than 0.3 s and was cancelled"],
    ["--idle-timeout", "hang", "was silent for 0.3 s; the turn was cancelled"],
  ])("%s cancels the turn and exits with 3", async (flag, turn, message) => {
    const { code, out, last } = await prompt(flag, "300ms", "--start-timeout", "60s", "-j", turn);
    expect(code).toBe(3);
    expect(last).toContain(message);
    expect(out).toContain('"method":"session/cancel"');
    expect(out.trimEnd().split("\n").at(-1)).toContain('"stopReason":"cancelled"');
  });

  const raise = "a longer --timeout, or a --start-timeout for everything before the turn";
  it("--timeout also limits the start, and the failure says how to raise it", async () => {
    const flags = ["--timeout", "300ms", "x"];
    expect(await run([...withAgent("hang-in-initialize"), ...flags], where())).toMatchObject({
      code: 3,
      last: `node was not ready after 0.3 s; try: ${raise}`,
    });
  });
  it.each([
    [[], { start: 60_000, request: 120_000, turn: 0 }],
    [["--timeout", "3"], { start: 3000, request: 3000, turn: 3000, raiseRequest: raise }],
    [
      ["--timeout", "90"],
      { start: 60_000, request: 90_000, raiseStart: "a longer --start-timeout" },
    ],
    [["--timeout", "1h"], { start: 60_000, request: 120_000, raiseRequest: undefined }],
    [["--timeout", "3", "--start-timeout", "5"], { start: 5000, request: 120_000, turn: 3000 }],
  ])("of %j are %j", (argv, limits) => {
    expect(limitsOf(GRAMMAR.parse(argv).values)).toMatchObject(limits);
  });
  it("only --start-timeout limits the start if both are given", async () => {
    const flags = ["--timeout", "1ms", "--start-timeout", "300ms", "--list-caps"];
    const { code, last } = await run([...withAgent("hang-in-initialize"), ...flags], where());
    expect({ code, last }).toEqual({
      code: 3,
      last: "node was not ready after 0.3 s; try: a longer --start-timeout",
    });
  });
  it("--start-timeout ends an agent that does not become ready", async () => {
    const { code, last } = await run(
      [...withAgent("hang-in-initialize"), "--start-timeout", "300ms", "x"],
      where(),
    );
    expect(code).toBe(3);
    expect(last).toContain("was not ready after 0.3 s");
  });
});
