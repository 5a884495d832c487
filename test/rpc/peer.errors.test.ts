import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { ChannelClosedError, type CloseReason } from "../../src/wire/channel.ts";
import { openProcess } from "../../src/wire/process/channel.ts";
import {
  CallCancelledError,
  ConnectionError,
  RemoteError,
  RpcError,
} from "../../src/rpc/errors.ts";
import { Peer } from "../../src/rpc/peer.ts";
import { failure, joined, request, result } from "./raw.ts";

describe("an error of the other side", () => {
  it("comes as it was sent", async () => {
    const { peer, say, until } = joined();
    const call = peer.call("session/new");
    await until(1);
    say(failure(1, -32000, "Authentication required", { methods: ["a"] }));
    const error: unknown = await call.catch((cause: unknown) => cause);
    expect(error).toBeInstanceOf(RemoteError);
    expect(error).toBeInstanceOf(RpcError);
    expect(error).toMatchObject({
      name: "RemoteError",
      code: -32000,
      message: "Authentication required",
      data: { methods: ["a"] },
      method: "session/new",
    });
    await peer.close();
  });
});

describe("what a handler throws becomes an answer without a stack", () => {
  const circular: Record<string, unknown> = {};
  circular["self"] = circular;
  class Hostile extends Error {
    override get message(): string {
      throw new Error("no message");
    }
  }
  it.each([
    {
      what: "an RpcError",
      error: new RpcError(-32001, "mine", { a: 1 }),
      is: { code: -32001, message: "mine", data: { a: 1 } },
    },
    { what: "one without data", error: new RpcError(7, "mine"), is: { code: 7, message: "mine" } },
    {
      what: "a missing method",
      error: RpcError.methodNotFound("x"),
      is: { code: -32601, message: "Method not found: x", data: { method: "x" } },
    },
    {
      what: "wrong params",
      error: RpcError.invalidParams("bad", 1),
      is: { code: -32602, message: "bad", data: 1 },
    },
    {
      what: "another error",
      error: new TypeError("oops"),
      is: { code: -32603, message: "Internal error", data: { details: "oops" } },
    },
    {
      what: "text",
      error: "oops",
      is: { code: -32603, message: "Internal error", data: { details: "oops" } },
    },
    {
      what: "nothing",
      error: undefined,
      is: { code: -32603, message: "Internal error", data: { details: "undefined" } },
    },
    {
      what: "an object that has no text",
      error: Object.create(null) as unknown,
      is: { code: -32603, message: "Internal error" },
    },
    { what: "an error that cannot be read", error: new Hostile(), is: { code: -32603 } },
    {
      what: "data that is no JSON",
      error: new RpcError(1, "mine", circular),
      is: { code: -32603 },
    },
    {
      what: "a code that is no number",
      error: new RpcError(Number.NaN, "mine"),
      is: { code: -32603, message: "mine" },
    },
  ])("$what, thrown now or later", async ({ error, is }) => {
    const { peer, say, until } = joined({
      handlers: {
        request: (_, params) => {
          if (params === "later") return Promise.reject(error);
          throw error;
        },
      },
    });
    say(request(1, "m", "now"), request(2, "m", "later"));
    const answers = await until(2);
    expect(answers).toMatchObject([
      { id: 1, error: is },
      { id: 2, error: is },
    ]);
    expect(JSON.stringify(answers)).not.toContain(".test.ts");
    await peer.close();
  });

  it("a method that nobody handles is not found", async () => {
    const { peer, say, until } = joined();
    say(request(1, "nobody/home"));
    expect(await until(1)).toMatchObject([{ id: 1, error: { code: -32601 } }]);
    await peer.close();
  });
});

describe("what a handler returns", () => {
  const circular: Record<string, unknown> = {};
  circular["self"] = circular;
  it.each([
    { what: "nothing", value: undefined, is: { result: null } },
    { what: "null", value: null, is: { result: null } },
    { what: "false", value: false, is: { result: false } },
    {
      what: "a promise of another realm",
      value: runInNewContext("Promise.resolve(5)") as unknown,
      is: { result: 5 },
    },
    { what: "a circle", value: circular, is: { error: { code: -32603 } } },
    { what: "a bigint", value: 1n, is: { error: { code: -32603 } } },
    { what: "a function", value: () => {}, is: { error: { code: -32603 } } },
    { what: "a symbol", value: Symbol("s"), is: { error: { code: -32603 } } },
    {
      what: "what says it is nothing",
      value: { toJSON: () => undefined },
      is: { error: { code: -32603 } },
    },
    {
      what: "what throws when it is written",
      value: {
        toJSON: () => {
          throw new Error("no");
        },
      },
      is: { error: { code: -32603 } },
    },
  ])("$what, now or later, is answered", async ({ value, is }) => {
    const { peer, say, until } = joined({
      handlers: { request: (_, params) => (params === "later" ? Promise.resolve(value) : value) },
    });
    say(request(1, "m", "now"), request(2, "m", "later"));
    const answers = (await until(2)).toSorted((a, b) => Number(a["id"]) - Number(b["id"]));
    expect(answers).toMatchObject([
      { id: 1, ...is },
      { id: 2, ...is },
    ]);
    await peer.close();
  });
});

describe("closing", () => {
  it("rejects every waiting call, each with its method and the reason, and aborts every handler", async () => {
    const aborted: unknown[] = [];
    const { peer, say, settled, heard } = joined({
      handlers: {
        request: (_, __, { signal }) =>
          new Promise((resolve) =>
            signal.addEventListener("abort", () => {
              aborted.push(signal.reason);
              resolve("too late");
            }),
          ),
      },
    });
    const calls = ["a", "b"].map((method) => peer.call(method).catch((error: unknown) => error));
    say(request(1, "m"), request(2, "m"));
    await settled();
    const reason = await peer.close();
    expect(reason).toEqual({ kind: "closed" });
    const errors = await Promise.all(calls);
    expect(errors).toMatchObject([
      {
        name: "ConnectionError",
        method: "a",
        reason,
        message: "a: the connection was closed by this side",
      },
      { name: "ConnectionError", method: "b", reason },
    ]);
    expect(errors[0]).toBeInstanceOf(ConnectionError);
    expect(aborted).toEqual([expect.any(ConnectionError), expect.any(ConnectionError)]);
    await settled();
    expect(heard).toHaveLength(2);
  });

  it("by the other side does the same", async () => {
    const { peer, far } = joined();
    const call = peer.call("m");
    await far.close();
    await expect(call).rejects.toMatchObject({
      name: "ConnectionError",
      reason: { kind: "ended" },
    });
    expect(await peer.closed).toEqual({ kind: "ended" });
  });

  it("rejects what is called, notified or answered later", async () => {
    const { peer } = joined();
    const [one, two] = await Promise.all([peer.close(), peer.close()]);
    expect(one).toBe(two);
    await expect(peer.call("m")).rejects.toBeInstanceOf(ConnectionError);
    await expect(peer.notify("m")).rejects.toBeInstanceOf(ConnectionError);
    void peer.notify("m");
    await new Promise(setImmediate);
  });

  it("of a channel that failed gives the failure as the cause", () => {
    const broken = new Error("broken pipe");
    const reason: CloseReason = { kind: "failed", error: broken, stderr: "last\n" };
    const error = new ConnectionError(reason, "m");
    expect(error.cause).toBe(broken);
    expect(error.message).toBe(
      "m: the connection failed: broken pipe; its last words on stderr:\nlast",
    );
  });

  it("cannot happen between a call and its error: a handler that closes is fine", async () => {
    const near = joined({ handlers: { notification: () => void near.peer.close() } });
    const call = near.peer.call("m");
    near.say({ method: "bye" }, result(1, "too late"));
    await expect(call).rejects.toBeInstanceOf(ConnectionError);
  });
});

describe("a process", () => {
  it("that exits before it answers rejects the call with exit code and stderr", async () => {
    const script = "read -r line; echo 'not signed in' >&2; exit 41";
    const peer = new Peer(await openProcess({ command: "sh", args: ["-c", script] }));
    const error: unknown = await peer.call("initialize").catch((cause: unknown) => cause);
    expect(error).toMatchObject({
      name: "ConnectionError",
      method: "initialize",
      reason: { kind: "exited", exit: { code: 41, signal: null }, stderr: "not signed in\n" },
      message:
        "initialize: the process exited with code 41; its last words on stderr:\nnot signed in",
    });
  });

  it("that is gone before it is called rejects calls and notifications alike", async () => {
    const peer = new Peer(await openProcess({ command: "sh", args: ["-c", "exit 42"] }));
    const big = "x".repeat(300_000);
    const outcomes = await Promise.allSettled([
      peer.call("a", big),
      peer.notify("b", big),
      peer.call("c", big),
    ]);
    for (const outcome of [outcomes[0], outcomes[2]]) {
      expect(outcome).toMatchObject({
        reason: { name: "ConnectionError", reason: { kind: "exited", exit: { code: 42 } } },
      });
    }
    await peer.closed;
    await expect(peer.notify("d")).rejects.toMatchObject({ reason: { kind: "exited" } });
  });

  it("that closed its stdin rejects a notification with the connection's end, not the pipe's", async () => {
    const channel = await openProcess({
      command: "sh",
      args: ["-c", 'exec <&-; echo \'{"method":"ready"}\'; while :; do sleep 1; done'],
      stages: { eofMs: 50, termMs: 50 },
    });
    const ready = new Promise<void>((resolve) => {
      const peer = new Peer(channel, {
        handlers: {
          notification: () => {
            const waitForBreak = async (): Promise<void> => {
              for (;;) await peer.notify("anybody there?");
            };
            waitForBreak().catch((error: unknown) => {
              expect(error).toBeInstanceOf(ConnectionError);
              expect(error).not.toBeInstanceOf(ChannelClosedError);
              resolve();
            });
          },
        },
      });
    });
    await ready;
    await channel.close();
  });
});

it("the families of errors are told apart by class", () => {
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
