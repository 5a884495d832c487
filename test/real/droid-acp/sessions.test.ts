import { randomUUID } from "node:crypto";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { expect, test } from "vitest";
import type { DroidHome } from "../../support/droid/home.ts";
import { processesWithHome } from "../../support/droid/leftovers.ts";
import { text, thinking, toolCall } from "../../../src/conformance/scripted-model/index.ts";
import type { Json } from "./judge.ts";
import { choose, contentOf, errorOf, toolCalls } from "./reading.ts";
import { isV2, describeScenarios } from "./rig.ts";
import { LONG } from "../../support/droid/describe.ts";

function messagesOf(calls: readonly { readonly body: Json }[]): string {
  return JSON.stringify(calls.at(-1)?.body["messages"]);
}

/**
 * Writes copies of a session beside it, each with its own id, to fill more than one page of a list.
 */
async function copySession({ home }: DroidHome, id: string, count: number): Promise<void> {
  const folder = `${home}/.factory/sessions`;
  const names = await readdir(folder, { recursive: true });
  const name = names.find((one) => one.endsWith(`${id}.jsonl`)) ?? "";
  const content = await readFile(`${folder}/${name}`, "utf8");
  for (let copy = 0; copy < count; copy++) {
    const other = randomUUID();
    await writeFile(`${folder}/${name.replace(id, other)}`, content.replaceAll(id, other));
  }
}

describeScenarios("a session of droid-acp", ({ version, driver, start, open }) => {
  test.skipIf(isV2(driver))(
    "has the advertised capabilities: load, resume, list, close, delete and fork",
    async () => {
      const { initialized } = await start();
      expect(initialized).toMatchObject({ protocolVersion: 1, agentInfo: { name: "droid-acp" } });
      expect(initialized["agentCapabilities"]).toEqual({
        loadSession: true,
        promptCapabilities: { image: true, audio: false, embeddedContext: true },
        mcpCapabilities: { http: true, sse: true, acp: false },
        sessionCapabilities: {
          list: {},
          resume: {},
          close: {},
          delete: {},
          fork: {},
          title: {},
          systemPrompt: { mode: { override: {} } },
        },
      });
    },
  );

  test("is loaded after a restart with its history, resumed without it, listed, forked and deleted", async () => {
    const first = await start({
      adapter: { mode: "high" },
      files: { "a.txt": "old text\n" },
      answers: { permission: choose("allow_once") },
    });
    const { home, model } = first;
    const a = `${home.workspace}/a.txt`;
    const b = `${home.workspace}/b.txt`;
    const session = await first.client.newSession(home.workspace);
    model.push(
      [
        thinking("some thought"),
        text("I begin"),
        toolCall("Create", { file_path: b, content: "b\n" }),
        toolCall("Edit", { file_path: a, old_str: "old", new_str: "new" }),
        toolCall("TodoWrite", { todos: "1. [completed] all" }),
      ],
      toolCall("Execute", {
        command: "exit 4",
        summary: "Fail",
        timeout: 9,
        riskLevel: "low",
        riskLevelReason: "x",
      }),
      text("I am done"),
    );
    expect(await first.client.prompt(session, "remember the word ZEBRA")).toBe("end_turn");

    const { client, ...second } = await first.again();
    const target = { sessionId: session, cwd: home.workspace };
    const loaded = await client.load(target);
    expect(loaded.modes).toMatchObject({ currentModeId: "high" });
    expect(client.text("user_message_chunk")).toBe("remember the word ZEBRA");
    expect(client.text("agent_thought_chunk")).toBe("some thought");
    expect(client.text()).toBe("I beginI am done");
    const calls = [...toolCalls(client).values()];
    expect(calls.map((call) => [call["title"], call["status"]])).toEqual([
      ["Create b.txt", "completed"],
      ["Edit a.txt", "completed"],
      ["exit 4", "failed"],
    ]);
    expect(contentOf(calls[0])).toEqual([`diff ${b}: null -> "b\\n"`]);
    expect(contentOf(calls[1])[0]).toMatch(/^diff .*a\.txt: "old.*-> "new/);
    expect(client.ofKind("plan")).toHaveLength(1);
    expect(JSON.stringify(client.updates)).not.toContain("system-reminder");

    // Everything that is known comes before the answer.
    expect(client.ofKind("available_commands_update")).not.toEqual([]);
    const [titled] = client.ofKind("session_info_update");
    expect(titled?.["title"]).toEqual(expect.any(String));

    let from = client.updates.length;
    model.push(text("ZEBRA it was"));
    expect(await client.prompt(session, "which word?")).toBe("end_turn");
    expect(messagesOf(model.calls)).toContain("ZEBRA");
    expect(client.text("agent_message_chunk", from)).toBe("ZEBRA it was");

    await client.close(session);
    expect(await processesWithHome(home.home)).toEqual([]);
    if (client.raw)
      expect(await errorOf(client.prompt(session, "x"))).toMatchObject({ code: -32002 });
    from = client.updates.length;
    await client.resume(target);
    expect(client.ofKind("user_message_chunk", from)).toEqual([]);
    model.push(text("resumed"));
    expect(await client.prompt(session, "still there?")).toBe("end_turn");
    expect(messagesOf(model.calls)).toContain("ZEBRA");

    const fork = await client.fork(target);
    expect(fork.sessionId).not.toBe(session);
    model.push(text("I am the copy"), text("I am the original"));
    expect(await client.prompt(fork.sessionId, "who?")).toBe("end_turn");
    expect(messagesOf(model.calls)).toContain("ZEBRA");
    expect(await client.prompt(session, "who?")).toBe("end_turn");
    expect(messagesOf(model.calls)).not.toContain("I am the copy");

    const ids = (await client.list(home.workspace)).map((one) => one["sessionId"]);
    expect(ids).toEqual(expect.arrayContaining([session, fork.sessionId]));
    const info = (await client.list()).find((one) => one["sessionId"] === session);
    expect(info).toMatchObject({ cwd: home.workspace, title: expect.any(String) });
    expect(Date.parse(String(info?.["updatedAt"]))).toBeGreaterThan(Date.now() - LONG);
    expect(await client.list(home.home)).toEqual([]);

    await copySession(home, session, 60);
    const all = (await client.list(home.workspace)).map((one) => one["sessionId"]);
    expect(new Set(all).size).toBe(62);
    expect(all).toHaveLength(62);

    await client.delete(session);
    expect((await client.list()).map((one) => one["sessionId"])).not.toContain(session);
    expect(await errorOf(client.load(target))).toMatchObject({ code: -32002 });
    await second.end();
  });

  test("answers a prompt that follows at once before it lists its commands", async () => {
    const { client, session } = await open({ script: [text("first")] });
    expect(await client.prompt(session, "hello")).toBe("end_turn");
    await client.seen("update available_commands_update");
    const order = client.log.filter((entry) => /agent_message|available_commands/.test(entry));
    expect(order.slice(0, 2)).toEqual([
      "update agent_message_chunk",
      "update available_commands_update",
    ]);
  });

  test("stops its Droid when idle and restarts it for the next prompt, invisibly to the client", async () => {
    const { client, home, model, session } = await open({
      script: [text("first"), text("second")],
      adapter: { idleMs: 1200 },
    });
    await client.setMode(session, "medium");
    expect(await client.prompt(session, "remember OKAPI")).toBe("end_turn");
    await expect.poll(() => processesWithHome(home.home), { timeout: 30_000 }).toEqual([]);
    const from = client.updates.length;
    expect(await client.prompt(session, "and?")).toBe("end_turn");
    expect(messagesOf(model.calls)).toContain("OKAPI");
    const kinds = new Set(client.updates.slice(from).map((update) => update["sessionUpdate"]));
    kinds.delete("usage_update");
    kinds.delete("session_info_update");
    kinds.delete("user_message");
    kinds.delete("state_update");
    expect([...kinds]).toEqual(["agent_message_chunk"]);
  });

  test("is kept apart from another one at the same time", async () => {
    const { client, home, model } = await start({
      model: {
        fallback: (call) => {
          const said = JSON.stringify(call.body["messages"]);
          return text(said.includes("ALPHA") ? "you said ALPHA" : "you said BETA", { chunks: 6 });
        },
      },
    });
    await mkdir(`${home.workspace}/other`);
    const [one, two] = await Promise.all([
      client.newSession(home.workspace),
      client.newSession(`${home.workspace}/other`),
    ]);
    await Promise.all([client.prompt(one, "I say ALPHA"), client.prompt(two, "I say BETA")]);
    expect([client.textOf(one), client.textOf(two)]).toEqual(["you said ALPHA", "you said BETA"]);
    expect(model.calls).toHaveLength(2);
  });

  // 0.99 compacts only with a login.
  test.skipIf(version === "0.99.0")(
    "keeps its id after /compact, even after a restart, and /context reports what fills it",
    async () => {
      const compaction = driver !== "the official SDK";
      const first = await start({
        script: [text("the first answer"), text("two")],
        capabilities: compaction ? { session: { compaction: {} } } : {},
      });
      const { home, model } = first;
      const session = await first.client.newSession(home.workspace);
      await first.client.prompt(session, "the word is LLAMA");
      await first.client.prompt(session, "and more");
      let from = first.client.updates.length;
      expect(await first.client.prompt(session, "/context")).toBe("end_turn");
      expect(first.client.text("agent_message_chunk", from)).toMatch(/Context: [\d,]+ tokens of/);
      from = first.client.updates.length;
      expect(await first.client.prompt(session, "/compact keep the word")).toBe("end_turn");
      expect(first.client.text("agent_message_chunk", from)).toContain("compacted");
      const stages = first.client.ofKind("compaction_update", from).map(({ status }) => status);
      expect(stages).toEqual(compaction ? ["in_progress", "completed"] : []);
      model.push(text("three"));
      expect(await first.client.prompt(session, "after")).toBe("end_turn");
      const seen = messagesOf(model.calls.slice(-1));
      expect(seen).toContain("summar");
      expect(seen).not.toContain("the first answer");

      const { client } = await first.again();
      const ids = (await client.list()).map((one) => one["sessionId"]);
      expect(ids).toEqual([session]);
      await client.load({ sessionId: session, cwd: home.workspace });
      expect(client.text("user_message_chunk")).toBe("the word is LLAMAand moreafter");
      model.push(text("four"));
      expect(await client.prompt(session, "at last")).toBe("end_turn");
      const seenAgain = messagesOf(model.calls.slice(-1));
      expect(seenAgain).toContain("after");
      expect(seenAgain).not.toContain("the first answer");
      expect(await readdir(home.workspace)).toEqual([]);

      await client.delete(session);
      const left = await readdir(`${home.home}/.factory/sessions`, { recursive: true });
      expect(left.filter((name) => name.endsWith(".jsonl"))).toEqual([]);
    },
  );

  test("accepts text, images, embedded resources and links, and passes them to the model", async () => {
    const { client, model, session } = await open({
      home: { images: true },
      script: [text("seen")],
    });
    const png = await readFile(new URL("pixel.png", import.meta.url));
    expect(
      await client.prompt(session, [
        { type: "text", text: "Look at " },
        { type: "resource_link", uri: "file:///tmp/notes.md", name: "my notes" },
        { type: "image", data: png.toString("base64"), mimeType: "image/png" },
        { type: "resource", resource: { uri: "file:///tmp/e.txt", text: "EMBEDDED WORDS" } },
      ]),
    ).toBe("end_turn");
    const seen = messagesOf(model.calls);
    expect(seen).toContain("Look at [@my notes](file:///tmp/notes.md)");
    expect(seen).toContain("EMBEDDED WORDS");
    expect(seen).toContain("file:///tmp/e.txt");
    expect(seen).toMatch(/data:image\/(png|jpeg);base64/);
  });
});
