import { describe, expect, it } from "vitest";
import { readFailure, readStopReason } from "../../../src/droid/protocol/failures.ts";

describe("the reason of a failure", () => {
  it.each([
    ["401 no key", undefined, "authentication"],
    ["403 not yours", undefined, "authentication"],
    ["402 pay first", undefined, "usage_exhausted"],
    ["429 mock error 429", undefined, "rate_limit"],
    ["400 bad request", undefined, "rejected"],
    ["413 too long", undefined, "rejected"],
    ["Request failed due to content moderation", "LLMContentModerationError", "moderation"],
    ["500 mock error 500", undefined, "unavailable"],
    ["503 busy", undefined, "unavailable"],
    ["No access token available", "AuthenticationError", "authentication"],
    ["Connection error.", undefined, "unavailable"],
    ["took too long", "TimeoutError", "unavailable"],
    ["something else", "Error", "error"],
    ["4000 is not a status", "Error", "error"],
  ])("with the message %j and the error name %s is %s", (message, name, reason) => {
    expect(readFailure({ message, error: { name, message } }).reason).toBe(reason);
  });
});

describe("the stop reason", () => {
  it.each([
    ["completed", "completed"],
    ["spec_handoff", "completed"],
    ["cancelled", "cancelled"],
    ["model_authentication_failed", "authentication"],
    ["model_rate_limited", "rate_limit"],
    ["model_usage_exhausted", "usage_exhausted"],
    ["model_request_rejected", "rejected"],
    ["model_provider_unavailable", "unavailable"],
    // 0.225.2 reports this if nothing listens at the address of the model.
    ["model_provider_unreachable", "unavailable"],
    ["process_exit", "process_exit"],
    ["something_new", "error"],
  ])("for the turn reason %s is %s", (reason, stopReason) => {
    expect(readStopReason(reason)).toBe(stopReason);
  });
});
