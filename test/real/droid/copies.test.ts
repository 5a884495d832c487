import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { DroidClient, type HistoryTurn } from "../../../src/entries/droid.ts";
import { droidsOfLongTests } from "../../support/droid/install.ts";
import { text, toolCall, type ModelServer } from "../../../src/conformance/scripted-model/index.ts";
import { play, stage } from "./harness.ts";
import { describeDroids } from "../../support/droid/describe.ts";

const promptsOf = (history: readonly HistoryTurn[]): (string | undefined)[] =>
  history.map(({ prompt }) => prompt?.text);

/** All messages of the last call to the model. */
const shownTo = (model: ModelServer): string =>
  (model.calls.at(-1)?.messages ?? []).map((message) => message.text).join("\n");

describeDroids("droid", droidsOfLongTests(), (version) => {
  it("stays with the original after a fork", async () => {
    const { start, load } = await stage(version, [], { fallback: text("done") });
    const droid = await start();
    const empty = await droid.fork();
    await play(droid.prompt("one"));
    const fork = await droid.fork({ title: "a fork" });
    await play(droid.prompt("two"));
    const { sessionId } = droid;
    await droid.close();
    expect(new Set([sessionId, empty, fork]).size).toBe(3);
    const original = await load(sessionId);
    expect(promptsOf(original.history)).toEqual(["one", "two"]);
    await original.switchTo(fork);
    expect(promptsOf(original.history)).toEqual(["one"]);
  });

  it("compacts a session into a copy if the version supports it", async () => {
    const scene = await stage(version, [], {
      fallback: text("done"),
      auxiliary: text("THE SUMMARY"),
    });
    const { home, model } = scene;
    const droid = await scene.start({ autonomy: "high" });
    await expect(droid.compact()).rejects.toMatchObject({
      code: "remote_error",
      message: expect.stringContaining("Nothing to compact"),
    });
    for (const prompt of ["alpha", "beta", "gamma"]) await play(droid.prompt(prompt));
    const { sessionId, settings } = droid;
    if (version === "0.99.0") {
      // Its summaries come from Factory's own service, which needs a login.
      await expect(droid.compact()).rejects.toMatchObject({
        code: "auth_required",
        message: expect.stringContaining("No access token available"),
      });
      expect((await play(droid.prompt("delta"))).result.stopReason).toBe("completed");
      return;
    }
    const { newSessionId, removedCount } = await droid.compact({ instructions: "be short" });
    expect(removedCount).toBeGreaterThan(3);
    expect(
      model.auxiliaryCalls.some((call) => JSON.stringify(call.body).includes("be short")),
    ).toBe(true);
    // The original continues unchanged.
    const { raw: _, ...known } = settings;
    expect(droid.settings).toMatchObject(known);
    expect((await play(droid.prompt("delta"))).result.stopReason).toBe("completed");
    expect(shownTo(model)).toContain("beta");
    expect(shownTo(model)).not.toContain("THE SUMMARY");
    await droid.close();

    const compacted = await scene.load(newSessionId);
    expect(compacted.settings).toMatchObject({ model: home.modelId, autonomy: "high" });
    expect((await play(compacted.prompt("epsilon"))).result.stopReason).toBe("completed");
    expect(shownTo(model)).toContain("THE SUMMARY");
    expect(shownTo(model)).not.toContain("beta");
    await compacted.close();

    const original = await scene.load(sessionId);
    expect(promptsOf(original.history)).toEqual(["alpha", "beta", "gamma", "delta"]);
    const found = await DroidClient.list({ home: home.home });
    expect(found.find((one) => one.sessionId === newSessionId)?.parentId).toBe(sessionId);
  });

  it("goes back to before a prompt and restores the requested files", async () => {
    const scene = await stage(version, [], { fallback: text("done") });
    const { home, model } = scene;
    const file = (name: string): string => join(home.workspace, name);
    await writeFile(file("old.txt"), "old\n");
    const droid = await scene.start({ autonomy: "high" });
    await play(droid.prompt("one"));
    const change = { file_path: file("old.txt"), old_str: "old\n", new_str: "new\n" };
    model.push(
      toolCall("Create", { file_path: file("more.txt"), content: "more\n" }),
      toolCall("Read", { file_path: file("old.txt") }),
      toolCall("Edit", { ...change, change_all: false }),
    );
    const { messageId } = (await play(droid.prompt("two"))).result;
    const last = (await play(droid.prompt("three"))).result.messageId;
    expect(await readFile(file("old.txt"), "utf8")).toBe("new\n");

    // No file changed after the last prompt, nor after one that does not exist.
    const nothing = { availableFiles: [], createdFiles: [], evictedFiles: [] };
    expect(await droid.rewindInfo(last)).toEqual(nothing);
    expect(await droid.rewindInfo("no-such-message")).toEqual(nothing);
    await expect(droid.rewind("no-such-message")).rejects.toMatchObject({
      code: "remote_error",
    });

    const info = await droid.rewindInfo(messageId);
    expect(info.availableFiles.map(({ filePath }) => filePath)).toEqual([file("old.txt")]);
    expect(info.createdFiles.map(({ filePath }) => filePath)).toEqual([file("more.txt")]);
    const rewound = await droid.rewind(messageId, {
      restore: info.availableFiles,
      remove: info.createdFiles,
      title: "before two",
    });
    expect(rewound).toMatchObject({ restoredCount: 1, deletedCount: 1, failedRestoreCount: 0 });
    expect(await readFile(file("old.txt"), "utf8")).toBe("old\n");
    await expect(readFile(file("more.txt"))).rejects.toThrow("ENOENT");

    // The client is still in the original, and the copy ends before the prompt.
    await play(droid.prompt("four"));
    const { sessionId } = droid;
    await droid.switchTo(rewound.newSessionId);
    expect(promptsOf(droid.history)).toEqual(["one"]);
    await play(droid.prompt("five"));
    expect(shownTo(model)).not.toContain("three");
    await droid.close();
    const original = await scene.load(sessionId);
    expect(promptsOf(original.history)).toEqual(["one", "two", "three", "four"]);
    const found = await DroidClient.list({ home: home.home });
    const copy = found.find((one) => one.sessionId === rewound.newSessionId);
    expect(copy).toMatchObject({ title: "before two", parentId: sessionId });
  });
});
