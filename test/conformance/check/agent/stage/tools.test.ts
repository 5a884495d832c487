import { describe, expect, it } from "vitest";
import { toolsForActs } from "../../../../../src/conformance/check/agent/stage/act.ts";
import type { ReceivedTool } from "../../../../../src/conformance/scripted-model/index.ts";

const text = { type: "string" };

function tool(name: string, properties: object, required = Object.keys(properties)): ReceivedTool {
  return { name, description: "", schema: { type: "object", properties, required } };
}

/** The name and arguments of the call that a step makes. */
function called(step: unknown): unknown {
  const { name, argumentsText } = step as { name: string; argumentsText: string };
  return [name, JSON.parse(argumentsText)];
}

describe("the tools of unknown agents", () => {
  it("are found by name and schema", () => {
    const tools = toolsForActs([
      tool("thread_read", { id: text }),
      tool("Read", { file_path: text, offset: { type: "number" } }, ["file_path"]),
      tool("create_file", { path: text, contents: text }),
      tool("str_replace", { filePath: text, old_str: text, new_str: text }),
      tool("run_shell_command", { command: text, description: text }),
    ]);
    expect(called(tools.read?.("/a"))).toEqual(["Read", { file_path: "/a" }]);
    expect(called(tools.write?.("/a", "b"))).toEqual([
      "create_file",
      { path: "/a", contents: "b" },
    ]);
    expect(called(tools.edit?.("/a", "b", "c"))).toEqual([
      "str_replace",
      { filePath: "/a", old_str: "b", new_str: "c" },
    ]);
    expect(called(tools.shell?.("ls"))).toEqual([
      "run_shell_command",
      { command: "ls", description: "scripted" },
    ]);
    expect(tools.plan).toBeUndefined();
  });

  it("may take a command as a list of words", () => {
    const tools = toolsForActs([tool("shell", { command: { type: "array", items: text } })]);
    expect(called(tools.shell?.("ls"))).toEqual(["shell", { command: ["sh", "-c", "ls"] }]);
  });

  it("may have their own words for a plan", () => {
    const status = { type: "string", enum: ["todo", "doing", "done"] };
    const items = { type: "object", properties: { title: text, status }, required: ["title"] };
    const tools = toolsForActs([tool("TodoList", { todos: { type: "array", items } })]);
    const [step] = tools.plan?.([{ content: "Look", status: "completed" }]) ?? [];
    expect(called(step)).toEqual(["TodoList", { todos: [{ title: "Look", status: "done" }] }]);
  });
});
