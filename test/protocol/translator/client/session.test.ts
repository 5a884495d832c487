import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../src/base/index.ts";
import { type Sides, toolCall, v2Client, watched } from "../sides.ts";

function client(setup: JsonObject = {}): Sides {
  return watched(v2Client({}, setup));
}

const created = (more: JsonObject = {}): JsonObject => ({
  sessionUpdate: "tool_call",
  toolCallId: "t",
  title: "Run",
  ...more,
});

describe("a tool call of v1 in v2", () => {
  it("leaves out what null does not change", () => {
    const sides = client();
    sides.update(created({ kind: "read" }));
    const sent = toolCall({ kind: null, title: null, status: "completed" });
    expect(sides.update(sent)).toEqual([toolCall({ status: "completed" })]);
  });

  it("that is announced again clears the fields that it leaves out", () => {
    const sides = client();
    sides.update(created({ kind: "read", rawInput: { a: 1 } }));
    expect(sides.update(created({ title: "Again", status: "failed" }))).toEqual([
      toolCall({
        title: "Again",
        status: "failed",
        name: null,
        kind: null,
        content: null,
        locations: null,
        rawInput: null,
        rawOutput: null,
      }),
    ]);
  });

  it("has no line 0, which v2 does not have", () => {
    const locations = [
      { path: "/a", line: 0 },
      { path: "/b", line: 3 },
    ];
    expect(client().update(created({ locations }))).toMatchObject([
      { locations: [{ path: "/a" }, { path: "/b", line: 3 }] },
    ]);
  });
});

describe("modes of v1 in v2", () => {
  const modes = {
    currentModeId: "ask",
    availableModes: [
      { id: "ask", name: "Ask" },
      { id: "code", name: "Code" },
    ],
  };
  const model = {
    id: "model",
    name: "Model",
    type: "select",
    currentValue: "s",
    options: [{ value: "s", name: "Small" }],
  };
  const changed = { sessionUpdate: "current_mode_update", currentModeId: "code" };

  it("change with the option that stands for them", () => {
    const sides = client({ modes, configOptions: [model] });
    expect(sides.update(changed)).toMatchObject([
      {
        sessionUpdate: "config_option_update",
        configOptions: [{ configId: "mode", currentValue: "code" }, { configId: "model" }],
      },
    ]);
    const options = { sessionUpdate: "config_option_update", configOptions: [model] };
    expect(sides.update(options)).toMatchObject([
      { configOptions: [{ configId: "mode", currentValue: "code" }, { configId: "model" }] },
    ]);
  });

  it("change the agent's own option of that category, if it has one", () => {
    const own = { ...model, id: "approval", category: "mode" };
    const sides = client({ modes, configOptions: [own] });
    expect(sides.update(changed)).toMatchObject([
      { configOptions: [{ configId: "approval", currentValue: "code" }] },
    ]);
  });
});

describe("the usage", () => {
  it("without a cost clears the one before", () => {
    const sides = client();
    const usage = { sessionUpdate: "usage_update", used: 1, size: 2 };
    const cost = { amount: 1, currency: "USD" };
    expect(sides.update(usage)).toEqual([usage]);
    sides.update({ ...usage, cost });
    expect(sides.update(usage)).toEqual([{ ...usage, cost: null }]);
    expect(sides.update(usage)).toEqual([usage]);
  });
});

describe("commands and plans", () => {
  it("get their types and ids", () => {
    const sides = client();
    const availableCommands = [{ name: "fix", description: "Fixes", input: { hint: "x" } }];
    expect(sides.update({ sessionUpdate: "available_commands_update", availableCommands })).toEqual(
      [
        {
          sessionUpdate: "available_commands_update",
          availableCommands: [
            {
              type: "command",
              name: "fix",
              description: "Fixes",
              input: { type: "text", hint: "x" },
            },
          ],
        },
      ],
    );
    const entries = [{ content: "a", priority: "low", status: "pending" }];
    expect(sides.update({ sessionUpdate: "plan", entries })).toEqual([
      { sessionUpdate: "plan_update", plan: { type: "items", planId: "plan", entries } },
    ]);
  });
});
