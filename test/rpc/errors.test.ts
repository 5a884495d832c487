import { describe, expect, it } from "vitest";
import type { CloseReason } from "../../src/wire/channel.ts";
import { CallCancelledError, ConnectionError, RemoteError } from "../../src/rpc/errors.ts";

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
