import { execFileSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { DroidClient } from "../../../src/entries/droid.ts";
import { isNewDroid, droidsOfLongTests } from "../../support/droid/install.ts";
import { text, thinking, toolCall } from "../../../src/conformance/scripted-model/index.ts";
import { leftOver, play, stage } from "./harness.ts";
import { describeDroids } from "../../support/droid/describe.ts";

describeDroids("droid", droidsOfLongTests(), (version) => {
  const isNew = isNewDroid(version);

  it("starts, forks, loads, lists and deletes sessions", async () => {
    const { home, model, start, load } = await stage(version);
    const files = { home: home.home };
    model.push([thinking("hm"), text("noted")], toolCall("LS", { directory_path: home.workspace }));
    model.push(text("listed"));
    const droid = await start({ autonomy: "low", reasoningEffort: "none", apiKey: "not-needed" });
    expect(droid.info.messages).toEqual([]);
    expect(droid.version.cli).toBe(version);
    expect(droid.tested).toBe("tested");
    expect(droid.ignored).toEqual([]);
    expect(droid.settings).toMatchObject({ model: home.modelId, autonomy: "low" });
    expect(droid.models.some(({ isCustom }) => isCustom)).toBe(true);
    const messageId = randomUUID();
    const first = droid.prompt("remember the word heron", { messageId });
    const { result } = await play(first);
    expect(first.id).toBe(messageId);
    expect(result.messageId === messageId).toBe(isNew);
    await play(droid.prompt("list the folder"));
    const fork = await droid.fork({ title: "a fork" });
    expect(fork).not.toBe(droid.sessionId);
    await droid.close();
    expect(await leftOver(home)).toEqual([]);

    // Everything is available under another key and in another process.
    const loaded = await load(droid.sessionId, { apiKey: "not-needed-either" });
    expect(loaded.sessionId).toBe(droid.sessionId);
    expect(loaded.info.isAgentLoopInProgress).toBe(false);
    expect(loaded.info.cwd).toBe(home.workspace);
    expect(loaded.history[0]?.prompt?.messageId).toBe(result.messageId);
    expect(
      loaded.history.map(({ prompt, steps }) => [prompt?.text, steps.map(({ type }) => type)]),
    ).toEqual([
      ["remember the word heron", ["thinking", "text"]],
      ["list the folder", ["tool_call", "text"]],
    ]);
    const call = loaded.history[1]?.steps[0];
    expect(call?.type === "tool_call" && call.result?.isError).toBe(false);
    model.push(text("heron"));
    await play(loaded.prompt("which word?"));
    const seen = model.calls
      .at(-1)
      ?.messages.map((message) => message.text)
      .join("\n");
    expect(seen).toContain("remember the word heron");

    // The fork has its own history, even in the same process.
    const forked = await loaded.switchTo(fork);
    expect(forked.sessionId).toBe(fork);
    expect(loaded.history).toHaveLength(2);
    await expect(loaded.switchTo("00000000-0000-4000-8000-000000000000")).rejects.toMatchObject({
      code: "session_not_found",
    });
    model.push(text("forked"));
    expect((await play(loaded.prompt("still the fork?"))).text).toBe("forked");
    await loaded.close();

    // `start` with an existing id does not resume that session.
    const again = await start({ sessionId: droid.sessionId });
    expect([again.sessionId, again.history]).toEqual([droid.sessionId, []]);
    await again.close();

    const sessions = await DroidClient.list(files);
    expect(sessions.map(({ sessionId }) => sessionId).toSorted()).toEqual(
      [droid.sessionId, fork].toSorted(),
    );
    expect(sessions.every(({ cwd }) => cwd === home.workspace)).toBe(true);
    expect(sessions.find(({ sessionId }) => sessionId === fork)?.parentId).toBe(droid.sessionId);
    await DroidClient.delete(droid.sessionId, files);
    expect((await DroidClient.list(files)).map(({ sessionId }) => sessionId)).toEqual([fork]);
    await expect(load(droid.sessionId)).rejects.toMatchObject({ code: "session_not_found" });
    await DroidClient.delete(fork, files);
    const left = await readdir(join(home.home, ".factory", "sessions"), { recursive: true });
    expect(left.filter((name) => name.includes(".json"))).toEqual([]);
  });

  it("lists what it offers, or rejects as unsupported", async () => {
    const { start } = await stage(version);
    const droid = await start({ model: "no-such-model" });
    // 0.225 uses its default instead, the others keep the bad name. The client reports both.
    expect(droid.ignored).toMatchObject([{ setting: "model", requested: "no-such-model" }]);
    expect(droid.ignored[0]?.kind).toBe(version === "0.225.2" ? "ignored" : "unlisted");
    const { ignored, settings } = await droid.updateSettings({
      autonomy: "medium",
      interactionMode: "mission",
    });
    expect(settings.autonomy).toBe("medium");
    expect(ignored.map(({ setting }) => setting)).toEqual(isNew ? [] : ["interactionMode"]);
    expect((await droid.listSkills()).every(({ name }) => name !== "")).toBe(true);
    expect(await droid.request("listMcpServers", {})).toEqual([]);
    const outcome = async (call: Promise<unknown>): Promise<string> =>
      call.then(
        () => "works",
        (error: unknown) => (error as { code: string }).code,
      );
    const has = (known: boolean): string => (known ? "works" : "unsupported");
    expect(await outcome(droid.listModels())).toBe(has(isNew));
    expect(await outcome(droid.listCommands())).toBe(has(isNew));
    expect(await outcome(droid.contextUsage())).toBe(has(version !== "0.99.0"));
    expect(await outcome(droid.listTools())).toBe(has(version !== "0.99.0"));
    expect(await outcome(droid.request("droid.no_such_method"))).toBe("unsupported");
    expect(await outcome(droid.updateSettings({ reasoningEffort: "nonsense" }))).toBe(
      "remote_error",
    );
  });

  it("reports its repository and the model for spec mode", async () => {
    const { home, start } = await stage(version);
    const git = (...args: string[]): unknown =>
      execFileSync("git", ["-C", home.workspace, ...args]);
    git("init", "--quiet");
    git("remote", "add", "origin", "https://example.com/someone/birds.git");
    const { modelId: specModel } = home;
    const droid = await start({
      interactionMode: "spec",
      specModel,
      specReasoningEffort: "none",
    });
    expect(droid.settings).toMatchObject({ interactionMode: "spec", specModel });
    expect(droid.info.gitRepo).toEqual(
      version === "0.99.0" ? { owner: "someone", repoName: "birds" } : undefined,
    );
  });

  it("renames a session if the version supports it", async () => {
    // Otherwise a new Droid first tries to create the session at Factory, for 15 seconds.
    const settings = { cloudSessionSync: false };
    const { home, model, start } = await stage(version, [], { settings });
    const droid = await start();
    model.push(text("hello"));
    await play(droid.prompt("hello"));
    if (version === "0.99.0") {
      await expect(droid.rename("A heron")).rejects.toMatchObject({ code: "unsupported" });
      return;
    }
    await droid.rename("A heron");
    expect(droid.title).toBeDefined();
    await droid.close();
    const [session] = await DroidClient.list({ home: home.home });
    expect(session?.title).toBe("A heron");
  });
});
