import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { DroidClient, type DroidEvent } from "../../../src/entries/droid.ts";
import { isNewDroid, droidsOfLongTests } from "../../support/droid/install.ts";
import { text, thinking, toolCall } from "../../../src/conformance/scripted-model/index.ts";
import { play, sharedDroid, stage } from "./harness.ts";
import { describeDroids } from "../../support/droid/describe.ts";

const PIXEL = {
  mediaType: "image/png",
  data: "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
};

describeDroids("droid", droidsOfLongTests(), (version) => {
  const isNew = isNewDroid(version);
  const shared = sharedDroid(version);

  it("accepts images and files, and a deleted session leaves none of them behind", async () => {
    const { home, model, start } = await stage(version, [], { images: true });
    const droid = await start();
    model.push(text("seen"));
    const turn = droid.prompt({
      text: "look",
      images: [PIXEL],
      files: [
        { name: "a.txt", text: "the file's text" },
        { name: "a.pdf", data: "JVBERi0xLjQK", mediaType: "application/pdf" },
      ],
    });
    expect((await play(turn)).text).toBe("seen");
    const messages = model.calls[0]?.messages ?? [];
    expect(messages.reduce((sum, message) => sum + message.images, 0)).toBeGreaterThan(0);
    expect(messages.map((message) => message.text).join("\n")).toContain("the file's text");
    await droid.close();
    const folder = join(home.home, ".factory", "sessions", droid.sessionId);
    expect(await readdir(join(folder, "attachments"))).toHaveLength(1);
    await DroidClient.delete(droid.sessionId, { home: home.home });
    await expect(readdir(folder)).rejects.toThrow();
  });

  it("answers according to a schema if the version supports it", async () => {
    const { scene, droid } = await shared();
    const outputSchema = {
      type: "object",
      properties: { bird: { type: "string" } },
      required: ["bird"],
    };
    if (!isNew) {
      const turn = droid.prompt("which bird?", { outputSchema });
      await expect(turn.result).rejects.toMatchObject({ code: "unsupported" });
      return;
    }
    scene.model.push(text('{"bird":"heron"}'));
    const { events, result } = await play(droid.prompt("which bird?", { outputSchema }));
    expect(result.structuredOutput).toEqual({ bird: "heron" });
    expect(events.filter(({ type }) => type === "structured_output")).toHaveLength(1);
  });

  it("delivers a message of a megabyte, and thirty turns in one session", async () => {
    const { scene, droid } = await shared();
    const { model } = scene;
    // All words differ, because 0.225 retracts an answer that repeats itself.
    const large = Array.from({ length: 190_000 }, (_, index) => `${index.toString(36)} `).join("");
    expect(large.length).toBeGreaterThan(900_000);
    model.push(text(large, { chunks: 50 }));
    const { text: answer } = await play(droid.prompt("much"));
    expect(answer.length).toBe(large.length);
    expect(answer).toBe(large);
    for (let turn = 0; turn < 30; turn++) {
      model.push([thinking(`about ${turn}`), text(`answer ${turn}`, { chunks: 2 })]);
      const { text: answer, result } = await play(droid.prompt(`question ${turn}`));
      expect([answer, result.stopReason]).toEqual([`answer ${turn}`, "completed"]);
    }
    model.verify();
  });

  it("works in parallel with another Droid", async () => {
    const { home, model, start } = await stage(version, [], {
      fallback: (call) =>
        text(
          `echo ${call.messages
            .findLast(({ role }) => role === "user")
            ?.text.split("\n")
            .at(-1)}`,
        ),
    });
    const [one, two] = await Promise.all([start(), start({ autonomy: "high" })]);
    expect(one.sessionId).not.toBe(two.sessionId);
    const ask = async (droid: DroidClient, name: string): Promise<void> => {
      for (let turn = 0; turn < 5; turn++) {
        const { text: answer } = await play(droid.prompt(`${name} ${turn}`));
        expect(answer).toBe(`echo ${name} ${turn}`);
      }
    };
    await Promise.all([ask(one, "one"), ask(two, "two")]);
    expect(model.calls).toHaveLength(10);
    expect(await DroidClient.list({ home: home.home })).toHaveLength(2);
  });

  it("shows its plan and the progress of its tools", async () => {
    const { scene, droid } = await shared();
    const { model } = scene;
    await droid.updateSettings({ autonomy: "high" });
    model.push(toolCall("TodoWrite", { todos: "1. [in_progress] look\n2. [pending] tell" }));
    model.push(
      toolCall("Execute", {
        command: "echo one; sleep 0.4; echo two",
        timeout: 60,
        riskLevel: "low",
        riskLevelReason: "r",
      }),
    );
    model.push(toolCall("TodoWrite", { todos: "1. [completed] look\n2. [completed] tell" }));
    model.push(text("done"));
    const { events } = await play(droid.prompt("go"));
    const plans = events.filter((event) => event.type === "plan");
    expect(plans.map(({ entries }) => entries.map(({ status }) => status))).toEqual([
      ["in_progress", "pending"],
      ["completed", "completed"],
    ]);
    const progress = events.filter((event) => event.type === "tool_progress");
    expect(progress.length).toBeGreaterThan(0);
    expect(resultsOf(events)).toHaveLength(3);
    expect(resultsOf(events)[1]).toContain("one\ntwo");
  });
});

function resultsOf(events: readonly DroidEvent[]): string[] {
  return events.flatMap((event) => (event.type === "tool_result" ? [event.content] : []));
}
