import { describe, expect, it } from "vitest";
import type { CloseReason } from "../../../src/transport/wire/channel.ts";
import {
  CallCancelledError,
  ConnectionError,
  RemoteError,
} from "../../../src/transport/rpc/errors.ts";

describe("a ConnectionError", () => {
  it("has the failure of the channel as its cause", () => {
    const broken = new Error("broken pipe");
    const reason: CloseReason = { kind: "failed", error: broken, stderr: "last\n" };
    const error = new ConnectionError(reason, "m");
    expect(error.cause).toBe(broken);
    expect(error.message).toBe(
      "m: the connection failed: broken pipe; last lines of stderr:\nlast",
    );
  });
});

describe("a RemoteError", () => {
  const messageOf = (message: string, data?: unknown): string =>
    new RemoteError({ code: -32603, message, data }).message;

  it.each([
    [{ details: "no such model" }],
    [{ message: "no such model" }],
    [{ error: "no such model" }],
    [{ error: { message: "no such model" } }],
    [{ details: { code: 7 }, message: "  ", error: "no such model" }],
    ["no such model"],
  ])("names the cause in %j after a generic message", (data) => {
    expect(messageOf("Internal error", data)).toBe("Internal error: no such model");
  });

  it.each([
    "Internal error",
    "internal error.",
    "Internal Server Error",
    "Invalid params",
    "Error",
  ])('takes "%s" for generic', (message) => {
    expect(messageOf(message, { details: "why" })).toBe(`${message}: why`);
  });

  it("names the cause even if the message is empty", () => {
    expect(messageOf("", { details: "why" })).toBe("Error: why");
  });

  it("keeps a message that says something, and offers the cause beside it", () => {
    const error = new RemoteError({ code: 1, message: "quota exceeded", data: { details: "why" } });
    expect(error.message).toBe("quota exceeded");
    expect(error.details).toBe("why");
  });

  it.each([[undefined], [null], [{}], [{ details: "" }], [{ details: 7, error: [] }], [[1]]])(
    "keeps a generic message if its data is %j",
    (data) => {
      const error = new RemoteError({ code: 1, message: "Internal error", data });
      expect(error.message).toBe("Internal error");
      expect(error.details).toBeUndefined();
    },
  );

  it("puts the cause on one short line without secrets, and keeps the data", () => {
    const data = {
      details: `first\n\tsecond\u001b[31m api_key=${"a".repeat(40)} ${"x".repeat(500)}`,
    };
    const error = new RemoteError({ code: 1, message: "Internal error", data });
    expect(error.message).toMatch(/^Internal error: first second \[31m /);
    expect(error.message).not.toMatch(/\n|aaaa/);
    expect(error.details).toHaveLength(200);
    expect(error.data).toBe(data);
  });
});

it("each kind of error is an instance of its own class only", () => {
  const families = [RemoteError, ConnectionError, CallCancelledError];
  const errors = [
    new RemoteError({ code: 1, message: "" }),
    new ConnectionError({ kind: "ended" }),
    new CallCancelledError("m", undefined),
  ];
  for (const [row, error] of errors.entries()) {
    expect(families.map((family) => error instanceof family)).toEqual(
      families.map((_, column) => column === row),
    );
  }
});
