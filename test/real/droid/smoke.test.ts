import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { createDroidHome, type DroidHome } from "../../support/droid/home.ts";
import { ensureDroid, testedDroids } from "../../support/droid/install.ts";
import { processesWithHome } from "../../support/droid/leftovers.ts";
import { isRequest, RawDroid, type Frame } from "../../support/droid/raw.ts";
import { ModelServer, text, toolCall } from "../../../src/conformance/model/index.ts";
import { asObject } from "../../../src/base/index.ts";
import { objectsOf } from "../../../src/conformance/model/json.ts";
import { describeDroids } from "../../support/droid/describe.ts";

const cleanups: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

function types(notifications: readonly Frame[]): unknown[] {
  return notifications.map((notification) => notification["type"]);
}

function ofType(notifications: readonly Frame[], type: string): Frame[] {
  return notifications.filter((notification) => notification["type"] === type);
}

async function start(
  executable: string,
  model: ModelServer,
): Promise<{ droid: RawDroid; home: DroidHome }> {
  const home = await createDroidHome({ modelUrl: model.url });
  cleanups.push(() => home.remove());
  const droid = new RawDroid(executable, home);
  cleanups.push(() => droid.kill());
  return { droid, home };
}

describeDroids("droid", testedDroids(), (version) => {
  test("streams a scripted text, and asks before a tool call", async () => {
    const execute = toolCall("Execute", {
      command: "echo hi > out.txt; cat out.txt",
      timeout: 60,
      riskLevel: "medium",
      riskLevelReason: "writes a file",
    });
    const answer = "one two three four five";
    const model = await ModelServer.start([
      text(answer, { chunks: 5 }),
      [text("Running"), execute],
      text("done"),
    ]);
    cleanups.push(() => model.close());
    const { droid, home } = await start(await ensureDroid(version), model);

    const initialized = await droid.request("droid.initialize_session", {
      machineId: "m1",
      cwd: home.workspace,
      autonomyLevel: "off",
      modelId: home.modelId,
    });
    const settings = asObject(asObject(initialized["result"])["settings"]);
    expect(settings).toMatchObject({ modelId: home.modelId, autonomyLevel: "off" });

    const firstTurn = droid.frames.length;
    const requestId = droid.post("droid.add_user_message", { text: "Say something" });
    await droid.untilState("idle", firstTurn);
    const first = droid.notifications(firstTurn);
    const deltas = ofType(first, "assistant_text_delta").map((delta) => delta["textDelta"]);
    expect(deltas).toEqual(["one ", "two t", "hree", " four", " five"]);
    const echo = ofType(first, "create_message").find(
      (created) => created["requestId"] === requestId,
    );
    expect(echo).toMatchObject({
      message: { role: "user", content: [{ type: "text", text: "Say something" }] },
    });
    const answered = ofType(first, "create_message").at(-1);
    expect(answered).toMatchObject({
      message: { role: "assistant", content: [{ type: "text", text: answer }] },
    });

    const secondTurn = droid.frames.length;
    droid.post("droid.add_user_message", { text: "Run it" });
    const question = await droid.until(isRequest("droid.request_permission"), secondTurn);
    const asked = objectsOf(asObject(question["params"])["toolUses"]);
    expect(asked).toMatchObject([
      { toolUse: { id: execute.id, name: "Execute" }, confirmationType: "exec" },
    ]);
    droid.respond(question["id"], { selectedOption: "proceed_once" });
    await droid.untilState("idle", secondTurn);
    const second = droid.notifications(secondTurn);
    expect(ofType(second, "permission_resolved")).toMatchObject([
      { requestId: question["id"], toolUseIds: [execute.id], selectedOption: "proceed_once" },
    ]);
    expect(ofType(second, "tool_result")).toMatchObject([
      { toolUseId: execute.id, content: expect.stringContaining("hi"), isError: false },
    ]);
    expect(ofType(second, "create_message").at(-1)).toMatchObject({
      message: { role: "assistant", content: [{ type: "text", text: "done" }] },
    });
    expect(types(second)).not.toContain("error");
    await expect(readFile(join(home.workspace, "out.txt"), "utf8")).resolves.toBe("hi\n");

    expect(model.calls.map((call) => call.tools.some((tool) => tool.name === "Execute"))).toEqual([
      true,
      true,
      true,
    ]);
    expect(model.calls.at(-1)?.messages.at(-1)?.toolResults).toMatchObject([
      { id: execute.id, text: expect.stringContaining("hi") },
    ]);
    expect(model.calls[0]?.headers.authorization).toBe("Bearer not-needed");
    model.verify();

    expect(await droid.kill()).toMatchObject({ signal: "SIGKILL" });
    // `kill` waits only for the group leader; the other processes may take a moment to end.
    await expect.poll(() => processesWithHome(home.home), { timeout: 30_000 }).toEqual([]);
    expect({ stderr: droid.stderr, garbage: droid.garbage }).toEqual({ stderr: "", garbage: [] });
  });
});
