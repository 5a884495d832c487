import { describe, expect, it } from "vitest";
import {
  availableCommands,
  ownCommand,
  contextReport,
} from "../../../../src/apps/droid-acp/session/commands.ts";
import { strictFaults } from "../../../support/schema.ts";

describe("slash commands", () => {
  const skill = {
    location: undefined,
    filePath: undefined,
    isEnabled: true,
    isUserInvocable: true,
  };
  it("are those of the adapter, those of Droid and the skills for users, each name once", () => {
    const commands = availableCommands(
      [
        {
          name: "hello",
          description: "says hello\nmore",
          argumentHint: "<name>",
          isExecutable: false,
        },
        {
          name: "compact",
          description: "not this one",
          argumentHint: undefined,
          isExecutable: false,
        },
        { name: "", description: undefined, argumentHint: undefined, isExecutable: false },
      ],
      [
        { name: "pdf", description: undefined, ...skill },
        { name: "hello", description: "hidden", ...skill },
        { name: "off", description: "x", ...skill, isEnabled: false },
        { name: "inner", description: "x", ...skill, isUserInvocable: false },
      ],
      true,
    );
    const names = commands.map(({ name }) => name);
    expect(names).toEqual(["compact", "context", "mcp-login", "hello", "pdf"]);
    expect(availableCommands([], [], false)).toHaveLength(2);
    expect(commands[3]).toEqual({
      name: "hello",
      description: "says hello …",
      input: { hint: "<name>" },
    });
    for (const command of commands) expect(strictFaults("AvailableCommand", command)).toEqual([]);
  });

  it.each([
    ["/context", { name: "context" }],
    [" /compact ", { name: "compact", instructions: undefined }],
    ["/compact keep\nthis", { name: "compact", instructions: "keep\nthis" }],
    ["/mcp-login gh", { name: "mcp-login", server: "gh" }],
    ["/mcp-login", { name: "mcp-login", server: "" }],
    ["/compacted", undefined],
    ["please /compact", undefined],
    ["/hello", undefined],
  ])("of the adapter are recognized in a prompt: %j", (text, command) => {
    expect(ownCommand(text)).toEqual(command);
  });
});

describe("usage", () => {
  const usage = { used: 1000, size: 10_000 };
  it("is printed as a table", () => {
    const breakdown = {
      modelId: "m",
      contextBudget: 5,
      usedTokens: 2,
      freeTokens: 3,
      categories: [
        { name: "Tools", tokens: 900 },
        { name: "None", tokens: 0 },
      ],
      raw: {},
    };
    expect(contextReport(usage, breakdown)).toBe(
      "Context: 1,000 tokens of 10,000 (10 %)\n\n| | Tokens |\n|---|---:|\n| Tools | 900 |\n",
    );
    expect(contextReport(undefined, undefined)).toContain("does not report");
  });
});
