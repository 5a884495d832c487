import { describe, expect, it } from "vitest";
import { events, run, withAgent } from "./support/run.ts";
import { foldersForAll } from "./commands/setup.ts";

const folders = foldersForAll();
describe("events", () => {
  it.each([
    [["doctor", ...withAgent()], true, 0],
    [["sessions", ...withAgent()], true, 0],
    [["agents"], true, 0],
    [["doctor", "nobody"], false, 2],
    [["agents", "x"], false, 2],
    [["--nope"], false, 2],
    [["--color", "blue", "hi"], false, 2],
  ])("of %j end with a result", async (argv, ok, exitCode) => {
    for (const mode of [["-o", "events"], ["--outputmode=events"], ["-oevents"]]) {
      const { code, out } = await run([...argv, ...mode], folders);
      expect(code).toBe(exitCode);
      const results = events(out).filter(({ type }) => type === "result");
      expect(results).toEqual([events(out).at(-1)]);
      expect(results).toMatchObject([{ ok, exitCode, text: "" }]);
    }
  });
  it.each([["doctor"], ["sessions"], ["chat"]])(
    "of a failed %s end with a result",
    async (command) => {
      const { out } = await run(
        [command, "-o", "events", ...withAgent("die-in-initialize")],
        folders,
      );
      expect(events(out).at(-1)).toMatchObject({
        type: "result",
        ok: false,
        exitCode: 7,
        error: { kind: "cannotStart", exit: "exit code 4", stderr: "no licence found\n" },
      });
    },
  );
});
