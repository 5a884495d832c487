import { describe, expect, it } from "vitest";
import {
  commandsToV1,
  commandsToV2,
  mcpServersToV1,
  mcpServersToV2,
  modeOption,
  modeOptionOf,
  modesOf,
  optionsToV1,
  optionsToV2,
  planEntriesToV1,
} from "../../../../src/protocol/translator/shapes/session-fields.ts";
import { strictFaults } from "../../../support/schema.ts";

const nothings = [undefined, null, 5, "x", [5, null]];

describe("config options", () => {
  const rest = { name: "Model", type: "select", currentValue: "s" };
  const values = [{ value: "s", name: "Small" }];
  const inV1 = [
    { id: "model", ...rest, options: [{ group: "g", name: "Fast", options: values }] },
    { id: "flat", ...rest, options: values },
    { id: "web", name: "Web", type: "boolean", currentValue: true },
  ];
  const inV2 = [
    { configId: "model", ...rest, options: [{ groupId: "g", name: "Fast", options: values }] },
    { configId: "flat", ...rest, options: values },
    { configId: "web", name: "Web", type: "boolean", currentValue: true },
  ];

  it("have other names for their ids", () => {
    expect(optionsToV1(inV2)).toEqual(inV1);
    expect(optionsToV2(inV1)).toEqual(inV2);
    for (const option of inV1) expect(strictFaults("SessionConfigOption", option)).toEqual([]);
    for (const option of inV2) {
      expect(strictFaults("SessionConfigOption", option, "v2")).toEqual([]);
    }
  });

  it.each(nothings)("are none for %j", (given) => {
    expect(optionsToV1(given)).toEqual([]);
    expect(optionsToV2(given)).toEqual([]);
  });
});

describe("modes", () => {
  const modes = {
    currentModeId: "ask",
    availableModes: [
      { id: "ask", name: "Ask" },
      { id: "code", name: "Code", description: "Edits" },
    ],
  };

  it("are an option of the category mode, and come back", () => {
    const option = modeOption(modes);
    expect(option).toMatchObject({ id: "mode", category: "mode", type: "select" });
    expect(strictFaults("SessionConfigOption", option)).toEqual([]);
    expect(modesOf(option)).toEqual(modes);
  });

  it("may stand in groups", () => {
    const grouped = {
      ...modeOption(modes),
      options: [{ group: "g", options: modeOption(modes)["options"] }],
    };
    expect(modesOf(grouped)).toEqual(modes);
  });

  it("are found by the category alone", () => {
    const option = { id: "approval", category: "mode", type: "select" };
    expect(modeOptionOf([{ id: "mode", type: "select" }, option])).toBe(option);
    expect(modeOptionOf([{ id: "mode", category: "mode", type: "boolean" }])).toBeUndefined();
  });
});

describe("slash commands", () => {
  const inV1 = [
    { name: "fix", description: "Fixes", input: { hint: "a bug" } },
    { name: "test", description: "Tests", input: null },
  ];
  const inV2 = [
    { type: "command", name: "fix", description: "Fixes", input: { type: "text", hint: "a bug" } },
    { type: "command", name: "test", description: "Tests", input: null },
  ];

  it("have types in v2", () => {
    expect(commandsToV1(inV2)).toEqual([inV1[0], { name: "test", description: "Tests" }]);
    expect(commandsToV2(inV1)).toEqual(inV2);
    for (const command of commandsToV2(inV1)) {
      expect(strictFaults("AvailableCommand", command, "v2")).toEqual([]);
    }
  });

  it.each(nothings)("are none for %j", (given) => {
    expect(commandsToV1(given)).toEqual([]);
    expect(commandsToV2(given)).toEqual([]);
  });
});

describe("MCP servers", () => {
  it("have no type for stdio in v1, and all their lists", () => {
    const stdio = { type: "stdio", name: "a", command: "/bin/a" };
    const http = { type: "http", name: "b", url: "http://127.0.0.1" };
    const other = { type: "acp", name: "c", id: "1" };
    const inV1 = mcpServersToV1([stdio, http, other]);
    expect(inV1).toEqual([
      { name: "a", command: "/bin/a", args: [], env: [] },
      { ...http, headers: [] },
      other,
    ]);
    for (const server of inV1.slice(0, 2)) expect(strictFaults("McpServer", server)).toEqual([]);
    expect(mcpServersToV2(inV1).map(({ type }) => type)).toEqual(["stdio", "http", "acp"]);
    for (const server of mcpServersToV2(inV1).slice(0, 2)) {
      expect(strictFaults("McpServer", server, "v2")).toEqual([]);
    }
  });

  it.each(nothings)("are none for %j", (given) => {
    expect(mcpServersToV1(given)).toEqual([]);
    expect(mcpServersToV2(given)).toEqual([]);
  });
});

describe("plan entries", () => {
  it("of known values stay the same objects", () => {
    const entry = { content: "a", priority: "low", status: "pending" };
    expect(planEntriesToV1([entry])[0]).toBe(entry);
  });

  it("are left out if they are cancelled, and get known values", () => {
    const entries = [
      { content: "a", priority: "low", status: "cancelled" },
      { content: "b", priority: "_x", status: "completed" },
      { content: "c", priority: "high", status: "_y" },
    ];
    expect(planEntriesToV1(entries)).toEqual([
      { content: "b", priority: "medium", status: "completed" },
      { content: "c", priority: "high", status: "pending" },
    ]);
  });
});
