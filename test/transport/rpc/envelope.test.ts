// A peer for a protocol that wraps its messages differently.
import { describe, expect, it } from "vitest";
import type { Envelope } from "../../../src/transport/rpc/messages.ts";
import { connect } from "./raw.ts";

const VERSION = "1.0.0";
const head = { jsonrpc: "2.0", factoryApiVersion: VERSION };
const factory: Envelope = {
  requestId: (n) => `call-${n}`,
  request: (id, method, params) => ({ ...head, type: "request", id, method, params }),
  notification: (method, params) => ({ ...head, type: "notification", method, params }),
  result: (id, result) => ({ ...head, type: "response", id, result }),
  error: (id, error) => ({ ...head, type: "response", id, error }),
};

describe("an envelope with a type, a version and string ids", () => {
  it("wraps every message that is sent", async () => {
    const { peer, send, untilWritten, written } = connect({
      envelope: factory,
      handlers: {
        request: (method) => {
          if (method === "bad") throw new Error("no");
          return "yes";
        },
      },
    });
    const call = peer.call("droid.initialize", { a: 1 });
    await peer.notify("droid.hello");
    send(
      { ...head, type: "request", id: "s-1", method: "good" },
      { ...head, type: "request", id: "s-2", method: "bad" },
      { ...head, type: "response", id: "call-1", result: { ok: true } },
    );
    expect(await call).toEqual({ ok: true });
    await untilWritten(4);
    expect(written).toEqual([
      { ...head, type: "request", id: "call-1", method: "droid.initialize", params: { a: 1 } },
      { ...head, type: "notification", method: "droid.hello" },
      { ...head, type: "response", id: "s-1", result: "yes" },
      {
        ...head,
        type: "response",
        id: "s-2",
        error: { code: -32603, message: "Internal error", data: { details: "no" } },
      },
    ]);
  });

  it("passes on `$/cancel_request` as an ordinary notification, because it defines no cancel method", async () => {
    const seen: string[] = [];
    const { send, settled } = connect({
      envelope: factory,
      handlers: { notification: (method) => seen.push(method) },
    });
    send({ method: "$/cancel_request", params: { requestId: 1 } });
    await settled();
    expect(seen).toEqual(["$/cancel_request"]);
  });

  it("reports an error response without an id, as older Droid versions send them", async () => {
    const codes: number[] = [];
    const { send, settled } = connect({
      envelope: factory,
      handlers: { orphanError: ({ rpcCode }) => codes.push(rpcCode) },
    });
    send({ ...head, type: "response", id: null, error: { code: -32602, message: "bad" } });
    await settled();
    expect(codes).toEqual([-32602]);
  });
});
