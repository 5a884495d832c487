import { getEventListeners } from "node:events";
import { describe, expect, it } from "vitest";
import { plainEnvelope } from "../../../src/transport/rpc/messages.ts";
import {
  CallCancelledError,
  ConnectionError,
  RpcError,
} from "../../../src/transport/rpc/errors.ts";
import type { RequestContext } from "../../../src/transport/rpc/inbound.ts";
import { failure, notification, request, result } from "../../support/messages.ts";
import { connect } from "./raw.ts";

describe("cancelling a call", () => {
  it("notifies the other side and rejects at once with the signal's reason as the cause", async () => {
    const { peer, untilWritten, written, send, settled } = connect();
    const abort = new AbortController();
    const call = peer.call("slow", { a: 1 }, { signal: abort.signal });
    const reason = new Error("changed my mind");
    abort.abort(reason);
    const error: unknown = await call.catch((cause: unknown) => cause);
    expect(error).toBeInstanceOf(CallCancelledError);
    expect(error).toMatchObject({
      name: "CallCancelledError",
      method: "slow",
      cause: reason,
      message: "slow: cancelled by the caller",
    });
    await untilWritten(2);
    expect(written).toEqual([
      request(1, "slow", { a: 1 }),
      notification("$/cancel_request", { requestId: 1 }),
    ]);
    // The response that the other side still sends is ignored.
    send(failure(1, -32800, "Request cancelled"));
    await settled();
    expect(peer.stats).toEqual({ noise: 0, strayResponses: 1 });
  });

  it("before it starts sends nothing", async () => {
    const { peer, written, settled } = connect();
    const signal = AbortSignal.abort("too late");
    await expect(peer.call("m", {}, { signal })).rejects.toMatchObject({
      name: "CallCancelledError",
      cause: "too late",
    });
    await settled();
    expect(written).toEqual([]);
  });

  it("after its response sends nothing", async () => {
    const { peer, send, untilWritten, written, settled } = connect();
    const abort = new AbortController();
    const call = peer.call("m", {}, { signal: abort.signal });
    await untilWritten(1);
    send(result(1, "done"));
    expect(await call).toBe("done");
    abort.abort();
    await settled();
    expect(written).toHaveLength(1);
  });

  it("sends nothing if the protocol has no cancel notification", async () => {
    const { cancelMethod: _, ...envelope } = plainEnvelope;
    const { peer, written, settled } = connect({ envelope });
    const abort = new AbortController();
    const call = peer.call("m", {}, { signal: abort.signal });
    abort.abort();
    await expect(call).rejects.toBeInstanceOf(CallCancelledError);
    await settled();
    expect(written).toHaveLength(1);
  });

  it.each([
    ["gets a result", (send: (frame: unknown) => void) => send(result(1, null))],
    ["gets an error", (send: (frame: unknown) => void) => send(failure(1, 1, "no"))],
  ])("leaves no listener on the signal when the call %s", async (_, answer) => {
    const { peer, send, untilWritten } = connect();
    const { signal } = new AbortController();
    const call = peer.call("m", {}, { signal });
    expect(getEventListeners(signal, "abort")).toHaveLength(1);
    await untilWritten(1);
    answer(send);
    await call.catch(() => {});
    expect(getEventListeners(signal, "abort")).toHaveLength(0);
  });

  it("leaves no listener on the signal when the connection closes or the call cannot be sent", async () => {
    const { peer } = connect();
    const { signal } = new AbortController();
    const unsendable = peer.call("m", { big: 1n }, { signal });
    await expect(unsendable).rejects.toBeInstanceOf(TypeError);
    expect(getEventListeners(signal, "abort")).toHaveLength(0);
    const call = peer.call("m", {}, { signal });
    await peer.close();
    await expect(call).rejects.toBeInstanceOf(ConnectionError);
    expect(getEventListeners(signal, "abort")).toHaveLength(0);
  });
});

describe("a request that the other side cancels", () => {
  const untilAborted = ({ signal }: RequestContext): Promise<unknown> =>
    new Promise((resolve) => signal.addEventListener("abort", () => resolve(signal.reason)));

  it.each([
    {
      what: "throws",
      end: () => {
        throw new Error("aborted");
      },
    },
    {
      what: "throws an RpcError",
      end: () => {
        throw new RpcError(-1, "own");
      },
    },
    { what: "returns nothing", end: () => undefined },
  ])(
    "aborts the handler's signal, and is answered with -32800 if the handler $what",
    async ({ end }) => {
      const { send, untilWritten } = connect({
        handlers: {
          request: async (_, __, context) => {
            expect(await untilAborted(context)).toBeInstanceOf(CallCancelledError);
            return end();
          },
        },
      });
      send(request("x", "slow"), notification("$/cancel_request", { requestId: "x" }));
      expect(await untilWritten(1)).toEqual([
        { jsonrpc: "2.0", id: "x", error: { code: -32800, message: "Request cancelled" } },
      ]);
    },
  );

  it("is answered with the result if the handler still returns one", async () => {
    const { send, untilWritten } = connect({
      handlers: {
        request: async (_, __, context) => {
          await untilAborted(context);
          return { stopReason: "cancelled" };
        },
      },
    });
    send(request(1, "slow"), notification("$/cancel_request", { requestId: 1 }));
    expect(await untilWritten(1)).toEqual([result(1, { stopReason: "cancelled" })]);
  });

  it("has an aborted signal for a handler that reads it only later", async () => {
    let readSignal = (): void => {};
    const { send, untilWritten, settled } = connect({
      handlers: {
        request: async (_, __, context) => {
          await new Promise<void>((resolve) => {
            readSignal = resolve;
          });
          return context.signal.aborted;
        },
      },
    });
    send(request(1, "slow"), notification("$/cancel_request", { requestId: 1 }));
    await settled();
    readSignal();
    expect(await untilWritten(1)).toEqual([result(1, true)]);
  });

  it('is matched by its exact id: 1 and "1" are different requests', async () => {
    const { send, untilWritten } = connect({
      handlers: {
        request: (_, params, context) =>
          params === "quick" ? "done" : untilAborted(context).then(() => undefined),
      },
    });
    send(
      request(1, "slow"),
      request("1", "slow"),
      request(2, "ask", "quick"),
      notification("$/cancel_request", { requestId: "1" }),
    );
    expect(await untilWritten(2)).toEqual([
      result(2, "done"),
      { jsonrpc: "2.0", id: "1", error: { code: -32800, message: "Request cancelled" } },
    ]);
  });

  it.each([undefined, null, [], "x", {}, { requestId: 99 }, { requestId: {} }])(
    "is not affected by cancel params that name no request (%j)",
    async (params) => {
      const seen: string[] = [];
      const { send, settled, written } = connect({
        handlers: { notification: (method) => seen.push(method) },
      });
      send(notification("$/cancel_request", params));
      await settled();
      expect([seen, written]).toEqual([[], []]);
    },
  );
});
