// An agent that speaks v2 by default, with our client on version 2: the scenarios of version 1, unchanged,
// and what only version 2 has.
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { httpError, text } from "../../../src/conformance/scripted-model/index.ts";
import { isAnyUpdate } from "../../../src/entries/unstable.ts";
import { scenarioNames, scenarioTitles } from "./recipe.ts";
import { Rig } from "./rig.ts";
import { scenarios } from "./scenarios.ts";
import { claude } from "./recipes.ts";

describe("claude, version 2", () => {
  let started: Rig | undefined;
  const rig = (): Rig => {
    if (!started) throw new Error("the agent was not started");
    return started;
  };

  beforeAll(async () => {
    started = await Rig.start(claude, { protocol: 2 });
  });
  afterAll(async () => {
    expect(started?.checker.faults).toEqual([]);
    await started?.dispose();
  });

  it("is in use", () => {
    expect(rig().client.agent).toMatchObject({ protocolVersion: 2, info: claude.info });
  });

  for (const name of scenarioNames) {
    it(scenarioTitles[name], async () => {
      const observed: unknown = await scenarios[name](rig());
      expect(observed).toEqual(claude.expected[name]);
    });
  }

  it("shows the terminal of a command, and the text of it in the tool call", async () => {
    const session = await rig().session();
    rig().model.push(
      claude.tools.shell('printf "out ✓" > made.txt && cat made.txt'),
      text("Done."),
    );
    await expect(session.prompt("Go on").text()).resolves.toContain("Done.");
    const [terminal] = session.terminals.values();
    expect(terminal).toMatchObject({ output: "out ✓", exit: { code: 0 } });
    const call = [...session.toolCalls.values()].at(-1);
    expect(call?.content).toMatchObject([
      { type: "content", content: { text: "out ✓" }, terminalId: terminal?.terminalId },
    ]);
  });

  it("shows an edit as a patch, with the lines before and after", async () => {
    const session = await rig().session({ "notes.txt": "one\ntwo\n" });
    const path = join(session.cwd, "notes.txt");
    const { tools } = claude;
    rig().model.push(tools.read(path), tools.edit(path, "two", "three"), text("Done."));
    await session.prompt("Go on").result;
    const call = [...session.toolCalls.values()].at(-1);
    expect(call?.content).toMatchObject([
      {
        type: "diff",
        path,
        oldText: "one\ntwo\n",
        newText: "one\nthree\n",
        change: { operation: "modify", path },
        patch: expect.stringContaining(`--- ${path}`) as string,
      },
    ]);
  });

  it("ends a turn with the error of the model, and goes on", async () => {
    const session = await rig().session();
    // The agent asks the model again after an error.
    rig().model.push(...Array.from({ length: 10 }, () => httpError(400)));
    await expect(session.prompt("Go on").result).rejects.toMatchObject({ rpcCode: -32603 });
    rig().model.skip();
    rig().model.push(text("Still here."));
    await expect(session.prompt("Are you there?").text()).resolves.toContain("Still here.");
  });

  it("sets a config option, and the mode as one", async () => {
    const session = await rig().session();
    const { modes } = session;
    const other = modes?.availableModes.find(({ id }) => id !== modes.currentModeId);
    if (!other) throw new Error("the agent has only one mode");
    await session.setMode(other.id);
    expect(session.modes?.currentModeId).toBe(other.id);
    const option = session.configOptions?.find(({ category }) => category === "mode");
    expect(option?.currentValue).toBe(other.id);
    await session.setConfigOption(option?.id ?? "", modes?.currentModeId ?? "");
    expect(session.modes?.currentModeId).toBe(modes?.currentModeId);
  });

  it("is idle between turns, and running in one", async () => {
    const session = await rig().session();
    rig().model.push(text("Hello."));
    const turn = session.prompt("Go on");
    const activities: string[] = [];
    for await (const update of turn) {
      if (isAnyUpdate(update) && update.type === "state_update") activities.push(update.activity);
    }
    expect(activities).toEqual(["running", "idle"]);
    expect(session.activity).toBe("idle");
  });
});
