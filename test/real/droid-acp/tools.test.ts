import { readFile } from "node:fs/promises";
import { isAbsolute } from "node:path";
import { expect, test } from "vitest";
import { text, toolCall } from "../../../src/conformance/scripted-model/index.ts";
import type { Answer } from "./driver.ts";
import { isJson, type Json } from "./judge.ts";
import { choose, contentOf, toolCalls } from "./reading.ts";
import { isV2, isOld, type Rig, describeScenarios } from "./rig.ts";

const A = Array.from({ length: 12 }, (_, index) => `line ${index + 1}`).join("\n") + "\n";

const risk = { timeout: 60, riskLevel: "low", riskLevelReason: "because" };

/** Sends one prompt for which the model makes these calls at once. Returns the calls. */
async function calls(
  { client, model }: Rig,
  sessionId: string,
  ...made: readonly ReturnType<typeof toolCall>[]
): Promise<Json[]> {
  const from = client.updates.length;
  model.push([...made], text("done"));
  expect(await client.prompt(sessionId, "do it")).toBe("end_turn");
  return [...toolCalls(client, from).values()];
}

/** Keeps the requests that an answer is given to. */
const recorded =
  <T>(requests: Json[], answer: Answer<T>): Answer<T> =>
  (params, signal) => {
    requests.push(params);
    return answer(params, signal);
  };

function pathsOf(call: Json | undefined): unknown[] {
  const locations = Array.isArray(call?.["locations"]) ? call["locations"].filter(isJson) : [];
  return locations.map((location) => location["path"]);
}

describeScenarios("tool calls of droid-acp", ({ version, driver, start, open }) => {
  test("have a kind, a readable title, absolute locations, an input and a result", async () => {
    const all = await open({
      files: { "a.txt": A },
      adapter: { mode: "high" },
      capabilities: { terminal: true },
    });
    const { client, home, session } = all;
    const a = `${home.workspace}/a.txt`;

    const reads = await calls(
      all,
      session,
      toolCall("Read", { file_path: a, offset: 3, limit: 2 }),
      toolCall("LS", { directory_path: home.workspace }),
      toolCall("Grep", { pattern: "line 1", path: home.workspace }),
      toolCall("Glob", { patterns: ["*.txt"], folder: home.workspace }),
    );
    expect(reads.map((call) => [call["kind"], call["status"]])).toEqual([
      ["read", "completed"],
      ["read", "completed"],
      ["search", "completed"],
      ["search", "completed"],
    ]);
    const firstLine = version === "0.99.0" || version === "0.117.0" ? 4 : 3;
    expect(reads[0]?.["title"]).toBe(`Read a.txt (lines ${firstLine} to ${firstLine + 1})`);
    expect(reads[0]?.["locations"]).toEqual([{ path: a, line: firstLine }]);
    expect(contentOf(reads[0]).join("")).toContain(`line ${firstLine}`);
    expect(reads[0]?.["rawInput"]).toEqual({ file_path: a, offset: 3, limit: 2 });
    expect(reads.flatMap(pathsOf).every((path) => isAbsolute(String(path)))).toBe(true);

    const b = `${home.workspace}/b.txt`;
    const [created] = await calls(
      all,
      session,
      toolCall("Create", { file_path: b, content: "new\n" }),
    );
    expect(created).toMatchObject({ kind: "edit", status: "completed", title: "Create b.txt" });
    expect(contentOf(created)).toEqual([`diff ${b}: null -> "new\\n"`]);

    const edited = A.replace("line 5\n", "line five\n");
    const [edit] = await calls(
      all,
      session,
      toolCall("Edit", { file_path: a, old_str: "line 5\n", new_str: "line five\n" }),
    );
    expect(edit).toMatchObject({ kind: "edit", status: "completed", title: "Edit a.txt" });
    expect(contentOf(edit)).toEqual([
      `diff ${a}: ${JSON.stringify(A)} -> ${JSON.stringify(edited)}`,
    ]);
    expect(await readFile(a, "utf8")).toBe(edited);

    const [over] = await calls(
      all,
      session,
      toolCall("Create", { file_path: b, content: "over\n" }),
    );
    const overwritten = `diff ${b}: "new\\n" -> "over\\n"`;
    // Without a permission request, Droid may write before the adapter can read the old file: up to 0.117
    // often, later only on a busy machine.
    expect([overwritten, `diff ${b}: null -> "over\\n"`]).toContain(contentOf(over)[0]);

    const command = "for i in 1 2 3; do echo out $i; sleep 0.4; done";
    const from = client.updates.length;
    const [ran] = await calls(
      all,
      session,
      toolCall("Execute", { command, summary: "Count", ...risk }),
    );
    expect(ran).toMatchObject({ kind: "execute", status: "completed", title: command });
    expect(contentOf(ran).join("")).toContain("out 1\nout 2\nout 3");
    const live = client.updates
      .slice(from)
      .filter((update) => update["status"] === "in_progress" && contentOf(update).length > 0);
    expect(live.length).toBeGreaterThanOrEqual(1);
    // v1 must not name terminals that the client does not have.
    if (isV2(driver)) expect(client.ofKind("terminal_update", from).length).toBeGreaterThan(1);
    else expect(JSON.stringify(client.updates)).not.toContain('"terminal"');

    const failing = { command: "echo oops >&2; exit 3", summary: "Fail", ...risk };
    const [failed] = await calls(all, session, toolCall("Execute", failing));
    expect(failed?.["status"]).toBe("failed");
    expect(contentOf(failed).join("")).toContain("oops");

    const [unknown] = await calls(all, session, toolCall("NoSuchTool", {}));
    expect(unknown?.["status"]).toBe("failed");

    const before = client.updates.length;
    const todos = "1. [in_progress] first\n2. [pending] second\n3. [completed] third";
    expect(await calls(all, session, toolCall("TodoWrite", { todos }))).toEqual([]);
    expect(client.ofKind("plan", before)[0]?.["entries"]).toEqual([
      { content: "first", status: "in_progress", priority: "medium" },
      { content: "second", status: "pending", priority: "medium" },
      { content: "third", status: "completed", priority: "medium" },
    ]);
  });

  test("show each file of a patch whole, in the permission request and in the result", async () => {
    // Own-key models get this tool if they have the name of an OpenAI model. With the providers
    // used here, the arguments of the call are the patch itself, in 0.99 JSON with the patch.
    const asked: unknown[] = [];
    const all = await start({
      files: { "a.txt": "one\ntwo\n" },
      home: {
        model: "gpt-5.1-codex",
        provider: isOld(version) ? "openai" : "generic-chat-completion-api",
      },
      adapter: { mode: "off" },
      answers: {
        permission: (params, signal) => {
          if (isJson(params["toolCall"])) asked.push(contentOf(params["toolCall"]));
          return choose("proceed_once")(params, signal);
        },
      },
    });
    const { client, home } = all;
    const session = await client.newSession(home.workspace);
    const a = `${home.workspace}/a.txt`;
    const patch = `*** Begin Patch\n*** Update File: ${a}\n@@\n one\n-two\n+TWO\n*** End Patch\n`;
    const [applied] = await calls(
      all,
      session,
      toolCall("ApplyPatch", version === "0.99.0" ? { input: patch } : patch),
    );
    expect(applied).toMatchObject({ kind: "edit", status: "completed", title: "Patch a.txt" });
    expect(pathsOf(applied)).toEqual([a]);
    const whole = [`diff ${a}: "one\\ntwo\\n" -> "one\\nTWO\\n"`];
    expect(contentOf(applied)).toEqual(whole);
    expect(asked).toEqual([whole]);
    expect(await readFile(a, "utf8")).toBe("one\nTWO\n");
  });

  test.skipIf(isV2(driver))(
    "also send command output as terminal output if the client advertises that",
    async () => {
      const all = await open({
        adapter: { mode: "high" },
        capabilities: { _meta: { terminal_output: true } },
      });
      const { session } = all;
      const command = "echo one; sleep 0.5; echo two; exit 2";
      await calls(all, session, toolCall("Execute", { command, summary: "Both", ...risk }));
      const metas = all.client.updates.flatMap((update) =>
        isJson(update["_meta"]) ? [update["_meta"]] : [],
      );
      const [call] = toolCalls(all.client).keys();
      expect(metas[0]).toEqual({ terminal_info: { terminal_id: call, cwd: all.home.workspace } });
      const data = metas.map((meta) =>
        isJson(meta["terminal_output"]) ? String(meta["terminal_output"]["data"]) : "",
      );
      expect(data.join("").trim()).toBe("one\ntwo");
      expect(metas.at(-1)?.["terminal_exit"]).toEqual({
        terminal_id: call,
        exit_code: 2,
        signal: null,
      });
      const [seen] = toolCalls(all.client).values();
      expect(contentOf(seen).join("")).toContain("one\ntwo");
    },
  );

  test("need permission with the options from Droid, the command and the diff, and follow the answer", async () => {
    const requests: Json[] = [];
    const answer = choose("allow_once", "reject_once", "allow_once", "allow_once", "allow_always");
    const all = await start({
      files: { "a.txt": A },
      adapter: { mode: "off" },
      answers: {
        permission: recorded(requests, answer),
      },
    });
    const { client, home, model } = all;
    const session = await client.newSession(home.workspace);
    const write = {
      command: "echo hi > out.txt",
      summary: "Write",
      ...risk,
      riskLevel: "medium",
    };

    const [allowed] = await calls(all, session, toolCall("Execute", write));
    expect(allowed?.["status"]).toBe("completed");
    expect(await readFile(`${home.workspace}/out.txt`, "utf8")).toBe("hi\n");
    expect(requests[0]?.["options"]).toMatchObject([
      { optionId: "proceed_once", kind: "allow_once" },
      { optionId: "proceed_always", kind: "allow_always" },
      { optionId: "cancel", kind: "reject_once" },
    ]);
    expect(requests[0]?.["toolCall"]).toMatchObject({
      kind: "execute",
      title: "echo hi > out.txt",
      rawInput: { command: "echo hi > out.txt" },
    });
    const at = client.log.indexOf("session/request_permission");
    expect(client.log.slice(0, at).join()).toContain("update tool_call");

    const from = client.updates.length;
    model.push(toolCall("Execute", { ...write, command: "echo no > no.txt" }));
    expect(await client.prompt(session, "again")).toBe("end_turn");
    expect([...toolCalls(client, from).values()][0]?.["status"]).toBe("failed");
    await expect(readFile(`${home.workspace}/no.txt`)).rejects.toThrow();

    const a = `${home.workspace}/a.txt`;
    const edit = { file_path: a, old_str: "line 2\n", new_str: "LINE 2\n" };
    const [made] = await calls(all, session, toolCall("Edit", edit));
    expect(made?.["status"]).toBe("completed");
    const change = `diff ${a}: ${JSON.stringify(A)} -> ${JSON.stringify(A.replace("line 2", "LINE 2"))}`;
    const asked = requests[2]?.["toolCall"];
    expect(isJson(asked) && contentOf(asked)).toEqual([change]);
    expect(contentOf(made)).toEqual([change]);

    const both = await calls(
      all,
      session,
      toolCall("Execute", { ...write, command: "echo x > x.txt" }),
      toolCall("Execute", { ...write, command: "echo y > y.txt" }),
    );
    expect(both.map((call) => call["status"])).toEqual(["completed", "completed"]);
    expect(requests).toHaveLength(4);
    const together = requests[3]?.["toolCall"];
    expect(isJson(together) && together["toolCallId"]).toBe(both[0]?.["toolCallId"]);
    const shown = contentOf(isJson(together) ? together : {}).join("\n");
    expect(shown).toMatch(/1\. echo x > x\.txt[^]*2\. echo y > y\.txt/);

    const more = client.updates.length;
    await calls(all, session, toolCall("Execute", { ...write, command: "echo 1 > one.txt" }));
    await calls(all, session, toolCall("Execute", { ...write, command: "echo 2 > two.txt" }));
    expect(requests).toHaveLength(5);
    expect(client.ofKind("current_mode_update", more)).toEqual([
      { sessionUpdate: "current_mode_update", currentModeId: "medium" },
    ]);
    // On v2, the mode is an option too.
    expect(client.ofKind("config_option_update", more)).toHaveLength(isV2(driver) ? 2 : 1);
  });

  test("present the plan of spec mode unchanged, with choices that stay in the session", async () => {
    const requests: Json[] = [];
    const all = await start({
      adapter: { mode: "spec" },
      answers: {
        permission: recorded(requests, choose("proceed_auto_run_low")),
      },
    });
    const { client, home } = all;
    const session = await client.newSession(home.workspace);
    const plan = "# The plan\n\n1. Think\n2. Do";
    const [exit] = await calls(all, session, toolCall("ExitSpecMode", { title: "My plan", plan }));
    expect(exit).toMatchObject({ kind: "switch_mode", status: "completed", title: "My plan" });
    expect(contentOf(exit)[0]).toBe(plan);
    const [request] = requests;
    expect(isJson(request?.["toolCall"]) && contentOf(request["toolCall"])).toEqual([plan]);
    const options = Array.isArray(request?.["options"]) ? request["options"].filter(isJson) : [];
    expect(options.map((option) => [option["optionId"], option["kind"]])).toEqual([
      ["proceed_once", "allow_once"],
      ["proceed_auto_run_low", "allow_always"],
      ["proceed_auto_run_medium", "allow_always"],
      ["proceed_auto_run_high", "allow_always"],
      ["cancel", "reject_once"],
    ]);
    expect(client.ofKind("current_mode_update").at(-1)?.["currentModeId"]).toBe("low");
  });

  test("ask the user with a form or a choice per question, and accept a declined form", async () => {
    const questionnaire =
      "1. [question] Which colour?\n[topic] Colour\n[option] Red\n[option] Blue\n\n2. [question] Which size?\n[topic] Size\n[option] Small\n[option] Large";
    const forms: Json[] = [];
    const all = await start({
      capabilities: { elicitation: { form: {} } },
      answers: {
        form: (params) => {
          forms.push(params);
          if (forms.length > 1) return { action: "decline" };
          return { action: "accept", content: { answer1: "Blue", answer2_other: "Medium" } };
        },
      },
    });
    const session = await all.client.newSession(all.home.workspace);
    const [asked] = await calls(all, session, toolCall("AskUser", { questionnaire }));
    expect(asked?.["status"]).toBe("completed");
    expect(forms[0]).toMatchObject({
      mode: "form",
      toolCallId: asked?.["toolCallId"],
      requestedSchema: {
        properties: { answer1: { title: "Colour" }, answer2: { title: "Size" } },
      },
    });
    expect(JSON.stringify(all.model.calls.at(-1)?.body["messages"])).toMatch(/Blue[^]*Medium/);
    all.model.push(toolCall("AskUser", { questionnaire }), text("fine"));
    expect(await all.client.prompt(session, "ask again")).toBe("end_turn");

    const plain = await all.again({
      capabilities: {},
      answers: { permission: choose("option-0", "option-1") },
    });
    const other = await plain.client.newSession(plain.home.workspace);
    while (plain.model.stepsLeft > 0) await plain.client.prompt(other, "use up the script");
    await calls(plain, other, toolCall("AskUser", { questionnaire }));
    expect(plain.client.log.filter((entry) => entry === "session/request_permission")).toHaveLength(
      2,
    );
    expect(JSON.stringify(plain.model.calls.at(-1)?.body["messages"])).toMatch(/Red[^]*Large/);
  });
});
