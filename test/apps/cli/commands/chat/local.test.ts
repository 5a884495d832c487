import { describe, expect, it } from "vitest";
import {
  agentSlashCommand,
  commandsFor,
  readChatLine,
  type SessionChoices,
} from "../../../../../src/apps/cli/commands/chat/slash-commands.ts";

const session: SessionChoices = {
  commands: [
    { name: "plan", description: "make a plan" },
    { name: "mode", description: "" },
    { name: "evil\u001b]0;owned\u0007", description: "" },
  ],
  modes: {
    currentModeId: "ask",
    availableModes: [
      { id: "ask", name: "Ask" },
      { id: "code", name: "Code" },
    ],
  },
  configOptions: [
    {
      type: "select",
      id: "m",
      name: "Model",
      category: "model",
      currentValue: "small",
      options: [
        { value: "small", name: "Small" },
        { value: "large", name: "Large" },
      ],
    },
  ],
};

describe("completion in a chat offers", () => {
  it.each([
    [
      "the commands, with two slashes for the agent's commands that share a name",
      "/",
      "/help /model /mode /permissions /diff /undo /resume /copy /exit /plan //mode",
    ],
    ["the commands that begin like the word", "/mo", "/model /mode"],
    ["modes", "/mode c", "code"],
    ["models", "/model ", "small large"],
    ["the permissions", "/permissions ", "write exec yolo"],
    ["on and off", "/permissions write ", "on off"],
    ["nothing after that", "/permissions write on ", ""],
    ["nothing after an agent's command", "/plan ", ""],
    ["nothing in other text", "hello", undefined],
    ["nothing in text with several lines", "/mode\n", undefined],
  ])("%s", (_what, text, words) => {
    const found = commandsFor(text, text.length, session);
    expect(found?.items.map(({ word }) => word).join(" ")).toBe(words);
  });
  it("descriptions, and marks the current value", () => {
    const details = (text: string) =>
      commandsFor(text, text.length, session)?.items.map(({ detail }) => detail);
    expect(details("/plan")).toEqual(["make a plan"]);
    expect(details("/model ")).toEqual(["Small (current)", "Large"]);
  });
});

describe("a line of a chat", () => {
  it.each([
    ["", { kind: "nothing" }],
    ["/mode code", { kind: "local", name: "/mode", args: ["code"] }],
    ["/quit", { kind: "local", name: "/exit", args: [] }],
    ["/plan it", { kind: "prompt", text: "/plan it" }],
    ["//mode code", { kind: "prompt", text: "/mode code" }],
    ["// a comment", { kind: "prompt", text: "// a comment" }],
    ["  hello ", { kind: "prompt", text: "  hello " }],
  ])("%j is parsed", (line, expected) => {
    expect(readChatLine(line)).toEqual(expected);
  });
  it("spells the agent's commands so that they reach the agent", () => {
    expect([agentSlashCommand("mode"), agentSlashCommand("plan")]).toEqual(["//mode", "/plan"]);
  });
});
