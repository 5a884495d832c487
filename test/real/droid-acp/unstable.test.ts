import { readdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { expect, test } from "vitest";
import { text, toolCall, type ModelServer } from "../../../src/conformance/scripted-model/index.ts";
import { isJson, type Json } from "./judge.ts";
import { choose, errorOf } from "./reading.ts";
import { isOld, rig, type RigOptions, describeScenarios } from "./rig.ts";
import { everyDroid } from "../../support/suite.ts";
import { describeDroids, LONG } from "../../support/droid/describe.ts";

/** Our library advertises both with its switch; the SDK sends the capabilities it is given. */
const OPTED_IN: Pick<RigOptions, "unstable" | "capabilities"> = {
  unstable: true,
  capabilities: { plan: {}, subagents: {} },
};

/** The system prompt of the last call of the model. */
function systemPrompt(model: ModelServer): string {
  const messages = model.calls.at(-1)?.body["messages"];
  const list = Array.isArray(messages) ? messages.filter(isJson) : [];
  return JSON.stringify(list.filter(({ role }) => role === "system"));
}

/** Folders with instructions for Droid that were not removed. */
async function instructionFolders(): Promise<readonly string[]> {
  const names = await readdir(tmpdir());
  const folders = names.filter((name) => /^droid-acp-\w{6}$/.test(name));
  const contents = await Promise.all(
    folders.map((name) => readdir(`${tmpdir()}/${name}`).catch(() => [])),
  );
  return contents.flat().filter((name) => name === "instructions.txt");
}

describeScenarios("the unstable protocol in droid-acp", ({ version, start }) => {
  test("sets the title of a session, open or stored, which no generated title replaces", async () => {
    const first = await start({
      ...OPTED_IN,
      script: [text("one"), text("two")],
      // Otherwise a new Droid first tries to create the session at Factory, for 15 seconds.
      home: { settings: { cloudSessionSync: false } },
    });
    const { home } = first;
    const session = await first.client.newSession(home.workspace);
    expect(await first.client.prompt(session, "a first message")).toBe("end_turn");
    const set = first.client.setTitle(session, "  My own\n title ");
    if (version === "0.99.0") {
      const { code, message } = await errorOf(set);
      expect(code).toBe(-32603);
      expect(message).toContain("does not support");
      return;
    }
    expect(await set).toBe("My own title");
    const from = first.client.updates.length;
    expect(await first.client.prompt(session, "a second message")).toBe("end_turn");
    // The client knows the title that it has set.
    expect(first.client.ofKind("session_info_update", from)).toEqual([]);
    const listed = async (client: typeof first.client): Promise<unknown> =>
      (await client.list()).find((one) => one["sessionId"] === session)?.["title"];
    expect(await listed(first.client)).toBe("My own title");
    expect(await first.client.prompt(session, "/compact")).toBe("end_turn");
    await expect.poll(() => listed(first.client), { timeout: LONG }).toBe("My own title");

    const { client } = await first.again();
    expect(await client.setTitle(session, "Another title")).toBe("Another title");
    expect(await listed(client)).toBe("Another title");
    await client.load({ sessionId: session, cwd: home.workspace });
    expect(client.ofKind("session_info_update").at(-1)?.["title"]).toBe("Another title");
    expect(await errorOf(client.setTitle("no-such-session", "x"))).toMatchObject({
      code: -32002,
    });
  });

  test("adds the client's instructions to Droid's own, also when the session is opened again", async () => {
    const first = await start({
      ...OPTED_IN,
      model: { fallback: text("fine") },
      adapter: { idleMs: 1200 },
    });
    const { home, model } = first;
    const given = { mode: "append", text: "Always mention WOMBATS." } as const;
    const { sessionId } = await first.client.open(home.workspace, [], given);
    await first.client.prompt(sessionId, "hello");
    expect(systemPrompt(model)).toContain("WOMBATS");
    const whole = systemPrompt(model).length;
    expect(whole).toBeGreaterThan(5000);

    const { client } = await first.again();
    const target = { sessionId, cwd: home.workspace };
    await client.load({ ...target, systemPrompt: given });
    await client.prompt(sessionId, "again");
    expect(systemPrompt(model)).toContain("WOMBATS");
    // Once, not twice.
    expect(systemPrompt(model)).toHaveLength(whole);
    const fork = await client.fork({ ...target, systemPrompt: given });
    await client.prompt(fork.sessionId, "copy");
    expect(systemPrompt(model)).toContain("WOMBATS");
    await client.close(sessionId);
    await client.resume(target);
    await client.prompt(sessionId, "without");
    expect(systemPrompt(model)).not.toContain("WOMBATS");
    expect(await instructionFolders()).toEqual([]);
  });

  test.skipIf(!everyDroid)(
    "replaces Droid's own instructions where Droid can, and otherwise opens no session",
    async () => {
      const { client, home, model } = await start({
        ...OPTED_IN,
        model: { fallback: text("fine") },
      });
      const given = { mode: "override", text: "You are a WOMBAT." } as const;
      const opening = client.open(home.workspace, [], given);
      if (isOld(version)) {
        const { code, message } = await errorOf(opening);
        expect(code).toBe(-32602);
        expect(message).toContain("systemPrompt");
        return;
      }
      const { sessionId } = await opening;
      await client.prompt(sessionId, "hello");
      expect(systemPrompt(model)).toContain("WOMBAT");
      expect(systemPrompt(model).length).toBeLessThan(2000);
      const target = { sessionId, cwd: home.workspace };
      await client.close(sessionId);
      await client.load({ ...target, systemPrompt: given });
      await client.prompt(sessionId, "again");
      expect(systemPrompt(model)).toContain("WOMBAT");
      await client.close(sessionId);
      const other = { ...given, text: "You are an OKAPI." };
      const refused = await errorOf(client.resume({ ...target, systemPrompt: other }));
      expect(refused.code).toBe(-32602);
    },
  );

  test("sends the plan of spec mode as Markdown, and removes it if the user does not approve it", async () => {
    const first = await start({
      ...OPTED_IN,
      adapter: { mode: "spec" },
      answers: { permission: choose("reject_once", "proceed_auto_run_low") },
    });
    const { home, model } = first;
    const session = await first.client.newSession(home.workspace);
    const plan = "# The plan\n\n1. Think\n2. Do";
    const markdown = { type: "markdown", planId: "spec", content: plan };
    model.push(toolCall("ExitSpecMode", { title: "My plan", plan }));
    await first.client.prompt(session, "plan");
    const kinds = first.client.log.filter((entry) => /plan_|request_permission/.test(entry));
    expect(kinds).toEqual([
      "update plan_update",
      "session/request_permission",
      "update plan_removed",
    ]);
    expect(first.client.ofKind("plan_update")).toMatchObject([{ plan: markdown }]);
    expect(first.client.ofKind("plan_removed")).toMatchObject([{ planId: "spec" }]);

    const from = first.client.updates.length;
    model.push(toolCall("ExitSpecMode", { title: "My plan", plan }), text("done"));
    await first.client.prompt(session, "plan again");
    expect(first.client.ofKind("plan_update", from)).toMatchObject([{ plan: markdown }]);
    expect(first.client.ofKind("plan_removed", from)).toEqual([]);

    const { client } = await first.again();
    await client.load({ sessionId: session, cwd: home.workspace });
    expect(client.ofKind("plan_update")).toMatchObject([{ plan: markdown }]);
  });
});

/** Offline, only old versions start sub-agents; they need some key, which nothing checks. */
const WITH_SUBAGENTS = everyDroid ? (["0.99.0", "0.117.0"] as const) : (["0.99.0"] as const);

describeDroids("a sub-agent of Droid in droid-acp on", WITH_SUBAGENTS, (version) => {
  const task = { subagent_type: "worker", description: "Count things", prompt: "COUNT" };
  const delegate = (options: RigOptions) =>
    rig({
      version,
      driver: "the official SDK",
      env: { FACTORY_API_KEY: "fk-none" },
      adapter: { mode: "high" },
      model: {
        fallback: ({ body }) =>
          text(JSON.stringify(body["messages"]).includes("COUNT") ? "I counted 3" : "fine"),
      },
      ...options,
    });
  const state = (update: Json): unknown => update["state"];

  test("is a subagent with its own messages, for clients that support subagents", async () => {
    const { client, home, model } = await delegate(OPTED_IN);
    const session = await client.newSession(home.workspace);
    model.push(toolCall("Task", task));
    expect(await client.prompt(session, "delegate")).toBe("end_turn");
    const [started, ended, ...more] = client.ofKind("subagent_update");
    expect(started).toMatchObject({
      title: "Count things",
      description: "worker",
      state: { state: "running" },
    });
    expect(ended).toMatchObject({ state: { state: "idle", stopReason: "end_turn" } });
    expect(more).toEqual([]);
    const id = String(started?.["sessionId"]);
    expect(client.textOf(id)).toBe("I counted 3");
    // The sub-agent is a session of Droid, under the same id.
    expect((await client.list()).map((one) => one["sessionId"])).toContain(id);
  });

  test.skipIf(!everyDroid)("that fails is a subagent with an error", async () => {
    // Without a key, the sub-agent cannot start its work.
    const { client, home, model } = await delegate({ ...OPTED_IN, env: {} });
    const session = await client.newSession(home.workspace);
    model.push(toolCall("Task", task));
    expect(await client.prompt(session, "delegate")).toBe("end_turn");
    expect(client.ofKind("subagent_update").map(state)).toMatchObject([
      { state: "running" },
      { state: "idle", stopReason: "error", error: { code: -32603 } },
    ]);
  });

  test.skipIf(!everyDroid)("is only a tool call for other clients", async () => {
    const { client, home, model } = await delegate({});
    const session = await client.newSession(home.workspace);
    model.push(toolCall("Task", task));
    expect(await client.prompt(session, "delegate")).toBe("end_turn");
    expect(client.ofKind("subagent_update")).toEqual([]);
    expect(new Set(client.sessions)).toEqual(new Set([session]));
    expect(JSON.stringify(client.ofKind("tool_call_update"))).toContain("I counted 3");
  });
});
