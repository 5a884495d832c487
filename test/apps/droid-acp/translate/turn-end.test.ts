import { describe, expect, it } from "vitest";
import { turnEnd } from "../../../../src/apps/droid-acp/translate/turn-end.ts";
import {
  DroidError,
  DroidExitedError,
  type DroidStopReason,
} from "../../../../src/entries/droid.ts";
import { RpcError } from "../../../../src/transport/rpc/index.ts";
import { translateDroidError } from "../../../../src/apps/droid-acp/translate/errors.ts";

describe("the end of a turn", () => {
  const result = (reason: DroidStopReason, message?: string) => ({
    stopReason: reason,
    failure:
      message === undefined
        ? undefined
        : ({ reason: "error", message, name: undefined, status: undefined } as const),
    text: "",
    finalMessage: "",
    usage: undefined,
    credits: undefined,
    messageId: "m",
    sessionUsage: undefined,
    structuredOutput: undefined,
    sessionId: "s",
  });
  const facts = { model: "custom:m", failureMessage: undefined };

  it.each([
    ["completed", "end_turn"],
    ["cancelled", "cancelled"],
    ["moderation", "refusal"],
  ] as const)("%s becomes the stop reason %s", (reason, stop) => {
    expect(turnEnd(result(reason), facts)).toBe(stop);
  });
  it.each([
    "discarded",
    "process_exit",
    "rate_limit",
    "usage_exhausted",
    "rejected",
    "unavailable",
    "error",
    "authentication",
  ] as const)("%s becomes an error with the message from Droid", (reason) => {
    const code = -32603;
    const end = turnEnd(result(reason, "the words"), facts);
    expect(end).toMatchObject({
      rpcCode: code,
      message: expect.stringContaining("the words") as string,
    });
  });
  it("asks for a login if the model is not an own-key model", () => {
    const end = turnEnd(result("authentication"), {
      model: "gpt",
      failureMessage: "Please log in",
    });
    expect(end).toMatchObject({
      rpcCode: -32000,
      message: expect.stringContaining("FACTORY_API_KEY") as string,
    });
  });
  it("reports how Droid exited, and that the session continues", () => {
    const reason = {
      kind: "exited",
      exit: { code: null, signal: "SIGILL" },
      stderr: "panic",
    } as const;
    const failure = translateDroidError(new DroidExitedError(reason, "turn"));
    expect(failure).toMatchObject({ rpcCode: -32603, data: { signal: "SIGILL", stderr: "panic" } });
    expect(String(failure)).toContain("next prompt");
    expect(
      translateDroidError(new DroidError("auth_required", "No access token available")),
    ).toMatchObject({ rpcCode: -32000 });
    expect(translateDroidError(new DroidError("closed", "x"))).toBeInstanceOf(RpcError);
    const other = new Error("other");
    expect(translateDroidError(other)).toBe(other);
  });
});
