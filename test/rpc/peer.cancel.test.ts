import { getEventListeners } from "node:events";
import { describe, expect, it } from "vitest";
import { plainEnvelope } from "../../src/rpc/envelope.ts";
import { CallCancelledError, ConnectionError, RpcError } from "../../src/rpc/errors.ts";
import type { RequestContext } from "../../src/rpc/inbound.ts";
import { failure, joined, notification, request, result } from "./raw.ts";

describe("cancelling a call", () => {
  it("tells the other side and rejects at once with the signal's reason as the cause", async () => {
    const { peer, until, heard, say, settled } = joined();
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
    await until(2);
    expect(heard).toEqual([
      request(1, "slow", { a: 1 }),
      notification("$/cancel_request", { requestId: 1 }),
    ]);
    // The answer that the other side owes all the same is taken quietly.
    say(failure(1, -32800, "Request cancelled"));
    await settled();
    expect(peer.stats).toEqual({ noise: 0, strayResponses: 1 });
    await peer.close();
  });

  it("before it begins sends nothing", async () => {
    const { peer, heard, settled } = joined();
    const signal = AbortSignal.abort("too late");
    await expect(peer.call("m", {}, { signal })).rejects.toMatchObject({
      name: "CallCancelledError",
      cause: "too late",
    });
    await settled();
    expect(heard).toEqual([]);
    await peer.close();
  });

  it("after it was answered is nothing", async () => {
    const { peer, say, until, heard, settled } = joined();
    const abort = new AbortController();
    const call = peer.call("m", {}, { signal: abort.signal });
    await until(1);
    say(result(1, "done"));
    expect(await call).toBe("done");
    abort.abort();
    await settled();
    expect(heard).toHaveLength(1);
    await peer.close();
  });

  it("sends nothing where the protocol has no such message", async () => {
    const { cancelMethod: _, ...envelope } = plainEnvelope;
    const { peer, heard, settled } = joined({ envelope });
    const abort = new AbortController();
    const call = peer.call("m", {}, { signal: abort.signal });
    abort.abort();
    await expect(call).rejects.toBeInstanceOf(CallCancelledError);
    await settled();
    expect(heard).toHaveLength(1);
    await peer.close();
  });

  it.each([
    ["answered", (say: (frame: unknown) => void) => say(result(1, null))],
    ["refused", (say: (frame: unknown) => void) => say(failure(1, 1, "no"))],
  ])("leaves no listener on the signal when the call was %s", async (_, answer) => {
    const { peer, say, until } = joined();
    const { signal } = new AbortController();
    const call = peer.call("m", {}, { signal });
    expect(getEventListeners(signal, "abort")).toHaveLength(1);
    await until(1);
    answer(say);
    await call.catch(() => {});
    expect(getEventListeners(signal, "abort")).toHaveLength(0);
    await peer.close();
  });

  it("leaves no listener on the signal when the connection closes or the call cannot be sent", async () => {
    const { peer } = joined();
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

describe("being cancelled", () => {
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
      what: "throws an error of its own",
      end: () => {
        throw new RpcError(-1, "own");
      },
    },
    { what: "has no result", end: () => undefined },
  ])("aborts the handler's signal; when it $what the answer is -32800", async ({ end }) => {
    const { peer, say, until } = joined({
      handlers: {
        request: async (_, __, context) => {
          expect(await untilAborted(context)).toBeInstanceOf(CallCancelledError);
          return end();
        },
      },
    });
    say(request("x", "slow"), notification("$/cancel_request", { requestId: "x" }));
    expect(await until(1)).toEqual([
      { jsonrpc: "2.0", id: "x", error: { code: -32800, message: "Request cancelled" } },
    ]);
    await peer.close();
  });

  it("leaves a result that the handler has all the same", async () => {
    const { peer, say, until } = joined({
      handlers: {
        request: async (_, __, context) => {
          await untilAborted(context);
          return { stopReason: "cancelled" };
        },
      },
    });
    say(request(1, "slow"), notification("$/cancel_request", { requestId: 1 }));
    expect(await until(1)).toEqual([result(1, { stopReason: "cancelled" })]);
    await peer.close();
  });

  it("shows an aborted signal to a handler that looks at it only later", async () => {
    let look = (): void => {};
    const { peer, say, until, settled } = joined({
      handlers: {
        request: async (_, __, context) => {
          await new Promise<void>((resolve) => {
            look = resolve;
          });
          return context.signal.aborted;
        },
      },
    });
    say(request(1, "slow"), notification("$/cancel_request", { requestId: 1 }));
    await settled();
    look();
    expect(await until(1)).toEqual([result(1, true)]);
    await peer.close();
  });

  it("cancels the one request that is named, in the spelling the other side used for it", async () => {
    const { peer, say, until } = joined({
      handlers: {
        request: (_, params, context) =>
          params === "quick" ? "done" : untilAborted(context).then(() => undefined),
      },
    });
    say(
      request(1, "slow"),
      request("1", "slow"),
      request(2, "ask", "quick"),
      notification("$/cancel_request", { requestId: "1" }),
    );
    expect(await until(2)).toEqual([
      result(2, "done"),
      { jsonrpc: "2.0", id: "1", error: { code: -32800, message: "Request cancelled" } },
    ]);
    await peer.close();
  });

  it.each([undefined, null, [], "x", {}, { requestId: 99 }, { requestId: {} }])(
    "by params that name nothing (%j) does nothing",
    async (params) => {
      const seen: string[] = [];
      const { peer, say, settled, heard } = joined({
        handlers: { notification: (method) => seen.push(method) },
      });
      say(notification("$/cancel_request", params));
      await settled();
      expect([seen, heard]).toEqual([[], []]);
      await peer.close();
    },
  );
});
