// droid-acp on the draft of ACP v2, with the SDK's client on the other side.
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { droidsOfLongTests, isNewDroid } from "../../support/droid/install.ts";
import {
  hang,
  httpError,
  text,
  thinking,
  toolCall,
} from "../../../src/conformance/scripted-model/index.ts";
import { codeOf, isJson, isState } from "../../support/sdk-v2-client.ts";
import { v2Rig } from "./v2-rig.ts";
import { describeDroids } from "../../support/droid/describe.ts";

const risk = { summary: "Run", timeout: 60, riskLevel: "low", riskLevelReason: "because" };
const execute = (command: string, riskLevel = "low") =>
  toolCall("Execute", { ...risk, command, riskLevel });

describeDroids("droid-acp on v2 with", droidsOfLongTests(), (version) => {
  test("streams an answer under Droid's message ids, queues prompts and reports errors", async () => {
    const pause = hang();
    const { client, model, home, initialized } = await v2Rig(version, {
      script: [[thinking("hm", { chunks: 2 }), text("one two three", { chunks: 3 })]],
    });
    expect(initialized).toMatchObject({ protocolVersion: 2, info: { name: "droid-acp" } });
    const sessionId = await client.newSession({ cwd: home.workspace });
    const from = client.frames.length;
    const messageId = await client.send(sessionId, "hello");
    expect(await client.idle(from)).toMatchObject({ stopReason: "end_turn" });
    expect(client.text(from)).toBe("one two three");
    const ids = new Set(client.ofKind("agent_message_chunk", from).map((one) => one["messageId"]));
    expect(ids.size).toBe(1);
    expect(ids).not.toContain(messageId);

    model.push([pause, text("first ")], text("second"));
    const second = client.frames.length;
    await client.send(sessionId, "one");
    const queued = client.send(sessionId, "two");
    await pause.arrived;
    pause.release();
    await queued;
    const idles = (): number => client.updates(second).filter((one) => isState(one, "idle")).length;
    await client.update(() => idles() === 2, second);
    expect(client.text(second)).toBe("first second");
    const states = client.log(second).filter((entry) => /^(?:running|idle|requires)/.test(entry));
    expect(states).toEqual(["running", "idle end_turn", "running", "idle end_turn"]);

    model.push(httpError(402));
    const failed = await client.prompt(sessionId, "fail");
    expect(failed).toMatchObject({ stopReason: "error", error: { code: -32603 } });
    expect(isJson(failed["error"]) && failed["error"]["message"]).toEqual(expect.any(String));
  });

  test("shows commands as terminals of the agent, and files as patches", async () => {
    const { client, model, home } = await v2Rig(version, {
      files: { "a.txt": "one\ntwo\n" },
      adapter: { mode: "high" },
    });
    const sessionId = await client.newSession({ cwd: home.workspace });
    const command = "for i in 1 2 3; do echo out $i; sleep 0.4; done; exit 2";
    model.push(execute(command), text("done"));
    await client.prompt(sessionId, "run");
    const [opened, ...more] = client.ofKind("terminal_update");
    expect(opened).toMatchObject({ command, cwd: home.workspace });
    const terminalId = opened?.["terminalId"];
    expect(client.output(terminalId).trim()).toBe("out 1\nout 2\nout 3");
    expect(more.at(-1)).toMatchObject({ exitStatus: { exitCode: 2 } });
    const [ran] = client.ofKind("tool_call_update").filter(({ status }) => status === "failed");
    expect(ran?.["content"]).toEqual([{ type: "terminal", terminalId }]);

    const path = `${home.workspace}/a.txt`;
    const made = `${home.workspace}/b.txt`;
    model.push(
      [
        toolCall("Edit", { file_path: path, old_str: "two\n", new_str: "TWO\n" }),
        toolCall("Create", { file_path: made, content: "new\n" }),
      ],
      text("done"),
    );
    const from = client.frames.length;
    await client.prompt(sessionId, "edit");
    const diffs = client
      .ofKind("tool_call_update", from)
      .filter(({ status }) => status === "completed")
      .flatMap(({ content }) => (Array.isArray(content) ? content.filter(isJson) : []));
    expect(diffs).toMatchObject([
      {
        type: "diff",
        changes: [{ operation: "modify", path }],
        patch: {
          format: "git_patch",
          text: `diff --git ${path} ${path}\n--- ${path}\n+++ ${path}\n@@ -1,2 +1,2 @@\n one\n-two\n+TWO\n`,
        },
      },
      {
        changes: [{ operation: "add", path: made }],
        patch: { text: expect.stringContaining("--- /dev/null\n") as string },
      },
    ]);
  });

  test("asks for permission, and is cancelled in every state", async () => {
    const pause = hang();
    let decided = "reject_once";
    const { client, model, home } = await v2Rig(version, {
      adapter: { mode: "off" },
      permission: async (params, signal) => {
        const options = Array.isArray(params["options"]) ? params["options"].filter(isJson) : [];
        const found = options.find(({ kind }) => kind === decided);
        if (found) return { outcome: { outcome: "selected", optionId: String(found["optionId"]) } };
        if (!signal.aborted) await once(signal, "abort");
        return { outcome: { outcome: "cancelled" } };
      },
    });
    const sessionId = await client.newSession({ cwd: home.workspace });
    model.push(execute("echo hi > out.txt", "medium"), text("all right"));
    let from = client.frames.length;
    await client.prompt(sessionId, "write");
    const log = client.log(from);
    const at = log.indexOf("session/request_permission");
    expect([log[at - 1], log[at + 1]]).toEqual(["requires_action", "running"]);
    await expect(readFile(`${home.workspace}/out.txt`)).rejects.toThrow();
    // The second step of the script is left if Droid ends the turn after a rejection.
    while (model.stepsLeft > 0) await client.prompt(sessionId, "use up the script");

    decided = "none";
    from = client.frames.length;
    model.push(execute("echo hi > out.txt", "medium"));
    await client.send(sessionId, "ask");
    await client.update((update) => isState(update, "requires_action"), from);
    await client.cancel(sessionId);
    expect(await client.idle(from)).toMatchObject({ stopReason: "cancelled" });
    const last = client.ofKind("tool_call_update", from).at(-1);
    expect(last).toMatchObject({ status: "cancelled" });

    decided = "allow_once";
    from = client.frames.length;
    model.push(execute("echo begun; sleep 31", "medium"));
    await client.send(sessionId, "run");
    await client.update(({ status }) => status === "in_progress", from);
    await client.cancel(sessionId);
    expect(await client.idle(from)).toMatchObject({ stopReason: "cancelled" });

    from = client.frames.length;
    model.push([text("partial ", { chunks: 2 }), pause, text("never")]);
    await client.send(sessionId, "stream");
    await pause.arrived;
    const held = codeOf(client.send(sessionId, "held"));
    await client.cancel(sessionId);
    expect(await held).toBe(-32800);
    expect(await client.idle(from)).toMatchObject({ stopReason: "cancelled" });
    pause.release();

    model.push(text("still here"));
    from = client.frames.length;
    await client.prompt(sessionId, "and now?");
    expect(client.text(from)).toBe("still here");
  });

  test("lists, resumes with the history, closes and configures sessions", async () => {
    const { client, home } = await v2Rig(version, {
      script: [[thinking("hm", { chunks: 2 }), text("remembered", { chunks: 2 })]],
    });
    const opened = await client.call("session/new", { cwd: home.workspace });
    const sessionId = String(opened["sessionId"]);
    const options = Array.isArray(opened["configOptions"])
      ? opened["configOptions"].filter(isJson)
      : [];
    const mode = options.find(({ category }) => category === "mode");
    expect(mode).toBeDefined();
    const configId = String(mode?.["configId"]);
    const set = { sessionId, configId, type: "id", value: "high" };
    const changed = await client.call("session/set_config_option", set);
    expect(JSON.stringify(changed["configOptions"])).toContain('"currentValue":"high"');
    const before = client.frames.length;
    const messageId = await client.send(sessionId, "remember");
    await client.idle(before);
    const idsOf = (kind: string, start: number): readonly unknown[] => [
      ...new Set(client.ofKind(kind, start).map((update) => update["messageId"])),
    ];
    const kinds = ["agent_thought_chunk", "agent_message_chunk"];
    const live = kinds.map((kind) => idsOf(kind, before));
    expect(live).toEqual([[expect.any(String)], [expect.any(String)]]);
    const { sessions } = await client.call("session/list", { cwd: home.workspace });
    expect(JSON.stringify(sessions)).toContain(sessionId);
    await client.call("session/close", { sessionId });
    const from = client.frames.length;
    const cwd = home.workspace;
    await client.call("session/resume", { sessionId, cwd, replayFrom: { type: "start" } });
    expect(client.text(from)).toBe("remembered");
    expect(client.ofKind("user_message_chunk", from)).toHaveLength(1);
    // The versions before 0.215 choose the ids of the user's messages themselves.
    if (isNewDroid(version)) expect(idsOf("user_message_chunk", from)).toEqual([messageId]);
    expect(kinds.map((kind) => idsOf(kind, from))).toEqual(live);
    expect(client.log(from).slice(-2)).toEqual(["idle", "result"]);
    const unknown = { sessionId: "00000000-0000-4000-8000-000000000000", cwd };
    expect(await codeOf(client.call("session/resume", unknown))).toBe(-32002);
  });
});
