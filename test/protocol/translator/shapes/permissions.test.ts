import { describe, expect, it } from "vitest";
import {
  isPermissionOutcomeInV1,
  permissionToV1,
  permissionToV2,
} from "../../../../src/protocol/translator/shapes/permissions.ts";
import { strictFaults } from "../../../support/schema.ts";

const yes = { optionId: "y", name: "Yes", kind: "allow_once" };
const mint = (): string => "minted";

describe("a v1 permission request in v2", () => {
  const params = { sessionId: "s", toolCall: { toolCallId: "t" }, options: [yes] };

  it.each([
    ["of the tool call in the request", { toolCallId: "t", title: "Now" }, "Before", "Now"],
    ["of the tool call as known", { toolCallId: "t" }, "Before", "Before"],
    ["of its own", { toolCallId: "t" }, undefined, "Allow this tool call?"],
  ])("has the title %s", (_, toolCall, known, title) => {
    const inV2 = permissionToV2(params, toolCall, known);
    expect(inV2).toEqual({
      sessionId: "s",
      title,
      options: [yes],
      subject: { type: "tool_call", toolCall },
    });
    expect(strictFaults("RequestPermissionRequest", inV2, "v2")).toEqual([]);
  });
});

describe("a v2 permission request in v1", () => {
  it("is about the tool call that it names", () => {
    const toolCall = { toolCallId: "t" };
    const asked = permissionToV1(
      { title: "May I?", options: [yes], subject: { type: "tool_call", toolCall } },
      mint,
    );
    expect(asked).toEqual({
      subject: toolCall,
      minted: undefined,
      options: [yes],
      hasUnknownKind: false,
    });
  });

  it.each([
    [
      "a command",
      { type: "command", command: "ls", cwd: "/p" },
      { kind: "execute", rawInput: { command: "ls", cwd: "/p" } },
    ],
    ["nothing", undefined, { kind: "other" }],
    ["an unknown thing", { type: "_x" }, { kind: "other" }],
    ["a broken tool call", { type: "tool_call", toolCall: 5 }, { kind: "other" }],
  ])("about %s gets a tool call of its own", (_, subject, more) => {
    const params = { title: "May I?", description: "Why", options: [yes], subject };
    expect(permissionToV1(params, mint).minted).toEqual({
      toolCallId: "minted",
      title: "May I?",
      status: "pending",
      content: [{ type: "content", content: { type: "text", text: "Why" } }],
      ...more,
    });
  });

  it("turns an option of an unknown kind into a denial", () => {
    const odd = { optionId: "o", name: "Odd", kind: "_odd", _meta: { mine: 1 } };
    const { options, hasUnknownKind } = permissionToV1({ options: [yes, odd] }, mint);
    expect(hasUnknownKind).toBe(true);
    expect(options).toEqual([
      yes,
      { ...odd, kind: "reject_once", _meta: { mine: 1, "dragoman/raw": "_odd" } },
    ]);
  });
});

describe("the outcome of a permission request", () => {
  it.each([
    [{ outcome: "cancelled" }, true],
    [{ outcome: "selected", optionId: "y" }, true],
    [{ outcome: "selected", optionId: "z" }, false],
    [{ outcome: "_approved" }, false],
    [undefined, false],
    ["selected", false],
  ])("%j counts: %s", (outcome, counts) => {
    expect(isPermissionOutcomeInV1(outcome, [yes])).toBe(counts);
  });
});
