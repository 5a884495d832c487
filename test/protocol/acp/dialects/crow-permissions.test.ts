import { describe, expect, test } from "vitest";

import {
  crowDialect,
  paramFaults,
  toPermissionChoices,
} from "../../../../src/protocol/acp/index.ts";
import { crowPermissionRequest, read, update } from "./messages.ts";

/** The option kinds that the client's handlers get. */
function kindsOf(options: readonly object[]): readonly unknown[] {
  const [message] = read(crowDialect("client"), crowPermissionRequest(options));
  const params = message?.["params"];
  expect(paramFaults("session/request_permission", params)).toEqual([]);
  const given = JSON.parse(JSON.stringify(params)).options;
  return toPermissionChoices(given).map((choice) => choice.kind);
}

describe("a crow permission option", () => {
  test.each([
    ["approve", "allow_once"],
    ["allow", "allow_once"],
    ["yes", "allow_once"],
    ["allow_always", "allow_always"],
    ["approve_always", "allow_always"],
    ["reject", "reject_once"],
    ["deny", "reject_once"],
    ["no", "reject_once"],
    ["reject_always", "reject_always"],
  ])("with the id %s has the kind %s", (id, kind) => {
    expect(kindsOf([{ id, title: "whatever" }])).toEqual([kind]);
  });

  test.each([
    { id: "Approve", title: "Approve" },
    { id: "approve ", title: "Approve" },
    { id: "approve_and_run_everything", title: "Approve" },
    { id: "no_restrictions", title: "No" },
    { id: "1", title: "Reject" },
    { id: "opt", title: "yes" },
    { id: "always", title: "Always" },
    { id: "__proto__", title: "x" },
    { id: "constructor", title: "x" },
    { id: "approve", title: "Approve", kind: "allow_if_tuesday" },
  ])("with the id $id and the title $title has an unknown kind", (option) => {
    expect(kindsOf([option])).toEqual(["unknown"]);
  });

  test("keeps an explicit kind, even against its id", () => {
    expect(kindsOf([{ id: "x", title: "X", kind: "allow_always" }])).toEqual(["allow_always"]);
    expect(kindsOf([{ id: "yes", title: "X", kind: "reject_once" }])).toEqual(["reject_once"]);
  });

  test("may have canonical keys", () => {
    const [message] = read(
      crowDialect("client"),
      update("s", {
        "@type": "permission_request",
        toolCallId: "t",
        title: "x",
        options: [{ optionId: "a", name: "A", kind: "allow_once" }],
      }),
    );
    expect(message?.["params"]).toEqual({
      sessionId: "s",
      toolCall: { toolCallId: "t", title: "x" },
      options: [{ optionId: "a", name: "A", kind: "allow_once" }],
    });
  });
});
