import { writeFile, symlink, truncate } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, it, beforeAll } from "vitest";
import type { SessionUpdate } from "../../../../src/protocol/acp/index.ts";
import { ToolIds, ToolRelay, readNow } from "../../../../src/apps/droid-acp/turn/tool-relay.ts";
import { strictFaults } from "../../../support/schema.ts";
import { toolCall as call, toolProgress as progress, toolResult as result } from "./events.ts";
import { execFileSync } from "node:child_process";
import { useTempFolder } from "../../../support/temp-folder.ts";

let folder = "";
useTempFolder((path) => (folder = path));

const sent: SessionUpdate[] = [];
afterEach(() => {
  for (const update of sent) expect(strictFaults("SessionUpdate", update, "unstable")).toEqual([]);
  sent.length = 0;
});

function relay(cwd = "/w", terminalOutput = false, markdownPlans = false): ToolRelay {
  return new ToolRelay(
    (update) => {
      sent.push(update);
      return Promise.resolve();
    },
    {
      toolContext: { cwd, firstLine: 1 },
      terminalOutput,
      markdownPlans,
      toolIds: new ToolIds(),
    },
  );
}

const kindsAndStatuses = (): unknown[] =>
  sent.map((update) =>
    "status" in update ? [update.sessionUpdate, update.status] : [update.sessionUpdate],
  );

describe("tool calls sent to the client", () => {
  it("show the name, the start, the progress and the report of a sub-agent", async () => {
    const tools = relay();
    await tools.call(
      call(
        "Task",
        { subagent_type: "worker", description: "dig", prompt: "p" },
        { phase: "executing" },
      ),
    );
    await tools.progress(
      progress("Task", "Subagent session started", { subagentSessionId: "sub-1" }),
    );
    await tools.progress(progress("Task", "Reading a.ts"));
    await tools.progress(progress("Task", " "));
    await tools.result(result("The report"));
    expect(sent[0]).toMatchObject({ title: "Sub-agent worker: dig", kind: "think" });
    expect(JSON.stringify(sent.at(-2))).toContain(
      "- Subagent session started (sub-1)\\n- Reading a.ts",
    );
    expect(sent.at(-1)).toMatchObject({
      status: "completed",
      content: [{ type: "content", content: { type: "text", text: "The report" } }],
    });
  });

  it("are announced once and settled once, however often Droid repeats them", async () => {
    const tools = relay();
    await tools.call(call("Execute", {}, { isComplete: false }));
    await tools.call(call("Execute", { command: "ec" }, { isComplete: false }));
    await tools.call(call("Execute", { command: "echo" }));
    await tools.call(call("Execute", { command: "echo" }, { phase: "queued" }));
    await tools.call(call("Execute", { command: "echo" }, { phase: "executing" }));
    await tools.progress(progress("Execute", ""));
    await tools.result(result("x\n\n\n[Process exited with code 0]"));
    await tools.result(result("again"));
    await tools.call(call("Execute", { command: "echo" }));
    await tools.settle();
    expect(kindsAndStatuses()).toEqual([
      ["tool_call", "pending"],
      ["tool_call_update"],
      ["tool_call_update", "in_progress"],
      ["tool_call_update", "completed"],
    ]);
    expect(sent[1]).toMatchObject({ title: "echo", rawInput: { command: "echo" } });
  });

  it("get a new id when a model reuses one", async () => {
    const tools = relay();
    await tools.call(call("Execute", { command: "a" }));
    await tools.result(result("a"));
    await tools.call(call("Execute", { command: "b" }));
    await tools.result(result("b"));
    expect(sent.map((update) => ("toolCallId" in update ? update.toolCallId : ""))).toEqual([
      "t",
      "t",
      "t-2",
      "t-2",
    ]);
  });

  it("fail when the turn ends without a result, and events of unknown calls are ignored", async () => {
    const tools = relay();
    await tools.result({ ...result("x"), id: "unknown" });
    await tools.progress(progress("Execute", "x", { id: "unknown" }));
    await tools.call(call("Read", { file_path: "a" }));
    await tools.settle();
    await tools.settle();
    expect(kindsAndStatuses()).toEqual([
      ["tool_call", "pending"],
      ["tool_call_update", "failed"],
    ]);
  });

  it("do not include the to-do list, which is sent as the plan", async () => {
    const tools = relay();
    await tools.call(call("TodoWrite", { todos: "1. [pending] a" }));
    await tools.result(result("TODO List Updated"));
    expect(sent).toEqual([]);
  });

  it("show the files of a patch whole, before and after", async () => {
    await writeFile(join(folder, "a"), "x\n");
    const patch = "*** Begin Patch\n*** Update File: a\n@@\n-x\n+y\n*** End Patch";
    const tools = relay(folder);
    await tools.call(call("ApplyPatch", { input: patch }));
    await writeFile(join(folder, "a"), "y\n");
    await tools.result(result("{}"));
    expect(sent.at(-1)).toMatchObject({
      status: "completed",
      content: [{ type: "diff", path: join(folder, "a"), oldText: "x\n", newText: "y\n" }],
    });
  });

  it("show files as they were when Droid announced the call, even if the client gets it later", async () => {
    const path = join(folder, "a");
    await writeFile(path, "x\n");
    const tools = relay(folder);
    const create = call("Create", { file_path: path, content: "y\n" });
    tools.record(create);
    await writeFile(path, "y\n");
    await tools.call(create);
    await tools.result(result("{}"));
    expect(sent.at(-1)).toMatchObject({
      content: [{ type: "diff", path, oldText: "x\n", newText: "y\n" }],
    });
  });

  it("stream command output as terminal output, and send the rest at the end", async () => {
    const tools = relay("/w", true);
    await tools.call(call("Execute", { command: "c" }));
    await tools.progress(progress("Execute", "a", { output: "a\n" }));
    await tools.progress(progress("Execute", "b", { output: "a\nb\n" }));
    await tools.progress(progress("Execute", "b", { output: "a\nb\n" }));
    await tools.result(result("a\nb\nc\n\n\n[Process exited with code 1]", true));
    const metas = sent.map((update) => ("_meta" in update ? update._meta : undefined));
    expect(metas).toEqual([
      { terminal_info: { terminal_id: "t", cwd: "/w" } },
      { terminal_output: { terminal_id: "t", data: "a\n" } },
      { terminal_output: { terminal_id: "t", data: "b\n" } },
      undefined,
      {
        terminal_output: { terminal_id: "t", data: "c" },
        terminal_exit: { terminal_id: "t", exit_code: 1, signal: null },
      },
    ]);
  });

  it("present the plan of spec mode once, and remove it if it is not approved", async () => {
    const plan = { plan: "# P" };
    const approved = relay("/w", false, true);
    await approved.call(call("ExitSpecMode", {}, { isComplete: false }));
    await approved.call(call("ExitSpecMode", plan));
    await approved.permissionRequested({ id: "t", name: "ExitSpecMode", input: plan });
    await approved.result(result("{}"));
    await approved.settle();
    const kinds = (): string[] => sent.splice(0).map(({ sessionUpdate }) => sessionUpdate);
    expect(kinds()).toEqual(["tool_call", "tool_call_update", "plan_update", "tool_call_update"]);

    const denied = relay("/w", false, true);
    await denied.call(call("ExitSpecMode", plan));
    await denied.result(result("rejected", true));
    expect(kinds()).toEqual(["tool_call", "plan_update", "tool_call_update", "plan_removed"]);

    const unfinished = relay("/w", false, true);
    await unfinished.call(call("ExitSpecMode", plan));
    await unfinished.settle();
    expect(kinds().at(-1)).toBe("plan_removed");

    const unsupported = relay();
    await unsupported.call(call("ExitSpecMode", plan));
    await unsupported.result(result("rejected", true));
    expect(kinds()).toEqual(["tool_call", "tool_call_update"]);
  });
});

beforeAll(async () => {
  await writeFile(join(folder, "text"), "old\n");
  await writeFile(join(folder, "binary"), Buffer.from([1, 0, 2]));
  await writeFile(join(folder, "large"), "");
  await truncate(join(folder, "large"), 2 * 1024 * 1024 + 1);
  await symlink("/dev/zero", join(folder, "device"));
  execFileSync("mkfifo", [join(folder, "pipe")]);
});

describe("the text of a file that Droid is about to change", () => {
  it.each([
    ["text", "old\n"],
    ["gone", null],
    ["binary", undefined],
    ["large", undefined],
    ["device", undefined],
    ["pipe", undefined],
    [".", undefined],
  ])("of %s is %j", (name, text) => {
    expect(readNow(join(folder, name))).toBe(text);
  });
});
