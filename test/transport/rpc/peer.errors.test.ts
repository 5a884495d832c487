import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { RemoteError, RpcError } from "../../../src/transport/rpc/errors.ts";
import { failure, request } from "../../support/messages.ts";
import { connect } from "./raw.ts";

describe("an error from the other side", () => {
  it("rejects the call with its code, message and data", async () => {
    const { peer, send, untilWritten } = connect();
    const call = peer.call("session/new");
    await untilWritten(1);
    send(failure(1, -32000, "Authentication required", { methods: ["a"] }));
    const error: unknown = await call.catch((cause: unknown) => cause);
    expect(error).toBeInstanceOf(RemoteError);
    expect(error).toBeInstanceOf(RpcError);
    expect(error).toMatchObject({
      name: "RemoteError",
      rpcCode: -32000,
      message: "Authentication required",
      data: { methods: ["a"] },
      method: "session/new",
    });
  });
});

describe("a request handler that throws", () => {
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
    {
      what: "an RpcError without data",
      error: new RpcError(7, "mine"),
      is: { code: 7, message: "mine" },
    },
    {
      what: "a method-not-found error",
      error: RpcError.methodNotFound("x"),
      is: { code: -32601, message: "Method not found: x", data: { method: "x" } },
    },
    {
      what: "an invalid-params error",
      error: RpcError.invalidParams("bad", 1),
      is: { code: -32602, message: "bad", data: 1 },
    },
    {
      what: "another error",
      error: new TypeError("oops"),
      is: { code: -32603, message: "Internal error", data: { details: "oops" } },
    },
    {
      what: "a string",
      error: "oops",
      is: { code: -32603, message: "Internal error", data: { details: "oops" } },
    },
    {
      what: "undefined",
      error: undefined,
      is: { code: -32603, message: "Internal error", data: { details: "undefined" } },
    },
    {
      what: "an object that cannot be converted to a string",
      error: Object.create(null) as unknown,
      is: { code: -32603, message: "Internal error" },
    },
    { what: "an error whose message getter throws", error: new Hostile(), is: { code: -32603 } },
    {
      what: "an RpcError with data that is not JSON",
      error: new RpcError(1, "mine", circular),
      is: { code: -32603 },
    },
    {
      what: "an RpcError with an invalid code",
      error: new RpcError(Number.NaN, "mine"),
      is: { code: -32603, message: "mine" },
    },
  ])("$what, now or later, sends an error response without a stack", async ({ error, is }) => {
    const { send, untilWritten } = connect({
      handlers: {
        request: (_, params) => {
          if (params === "later") return Promise.reject(error);
          throw error;
        },
      },
    });
    send(request(1, "m", "now"), request(2, "m", "later"));
    const answers = await untilWritten(2);
    expect(answers).toMatchObject([
      { id: 1, error: is },
      { id: 2, error: is },
    ]);
    expect(JSON.stringify(answers)).not.toContain(".test.ts");
  });
});

it("a request is answered with -32601 if the peer has no request handler", async () => {
  const { send, untilWritten } = connect();
  send(request(1, "unknown/method"));
  expect(await untilWritten(1)).toMatchObject([{ id: 1, error: { code: -32601 } }]);
});

describe("a request handler that returns", () => {
  const circular: Record<string, unknown> = {};
  circular["self"] = circular;
  it.each([
    { what: "undefined", value: undefined, is: { result: null } },
    { what: "null", value: null, is: { result: null } },
    { what: "false", value: false, is: { result: false } },
    {
      what: "a promise from another realm",
      value: runInNewContext("Promise.resolve(5)") as unknown,
      is: { result: 5 },
    },
    { what: "a circular object", value: circular, is: { error: { code: -32603 } } },
    { what: "a bigint", value: 1n, is: { error: { code: -32603 } } },
    { what: "a function", value: () => {}, is: { error: { code: -32603 } } },
    { what: "a symbol", value: Symbol("s"), is: { error: { code: -32603 } } },
    {
      what: "an object whose toJSON returns undefined",
      value: { toJSON: () => undefined },
      is: { error: { code: -32603 } },
    },
    {
      what: "an object whose toJSON throws",
      value: {
        toJSON: () => {
          throw new Error("no");
        },
      },
      is: { error: { code: -32603 } },
    },
  ])("$what, now or later, sends a response", async ({ value, is }) => {
    const { send, untilWritten } = connect({
      handlers: { request: (_, params) => (params === "later" ? Promise.resolve(value) : value) },
    });
    send(request(1, "m", "now"), request(2, "m", "later"));
    const answers = (await untilWritten(2)).toSorted((a, b) => Number(a["id"]) - Number(b["id"]));
    expect(answers).toMatchObject([
      { id: 1, ...is },
      { id: 2, ...is },
    ]);
  });
});
