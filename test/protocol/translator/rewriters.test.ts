import { describe, expect, it } from "vitest";
import { negotiatingRewriter, v2AgentRewriter } from "../../../src/protocol/translator/index.ts";
import type { Rewriter } from "../../../src/transport/rpc/index.ts";
import type { JsonObject } from "../../../src/base/index.ts";

/** Marks what passes it. */
const v1: Rewriter = {
  read: (message) => ({ ...message, read: true }),
  write: (message) => ({ ...message, written: true }),
};
const info = { name: "x", version: "1" };
const initialize = (params: JsonObject): JsonObject => ({ id: 0, method: "initialize", params });

describe("the rewriter of an agent", () => {
  it.each([
    { protocolVersion: 1, clientInfo: info },
    { protocolVersion: 0 },
    { protocolVersion: 99 },
  ])("leaves a client that asks with %j to the rewriter of v1", (params) => {
    const rewriter = negotiatingRewriter(v1);
    expect(rewriter.read(initialize(params))).toMatchObject({ read: true, params });
    expect(rewriter.write({ id: 0, result: { protocolVersion: 1 } })).toMatchObject({
      written: true,
    });
    expect(rewriter.version).toBe(1);
  });

  it("answers a client that asks for v2 in v2, and translates from then on", () => {
    const sent: JsonObject[] = [];
    const rewriter = negotiatingRewriter(v1);
    rewriter.connect?.({ toWire: (frame) => void sent.push(frame), toHandlers: () => {} });
    expect(rewriter.read(initialize({ protocolVersion: 3, info }))).toMatchObject({
      params: { protocolVersion: 1, clientInfo: info },
    });
    expect(rewriter.version).toBe(2);
    expect(rewriter.write({ id: 0, result: { protocolVersion: 1 } })).toMatchObject({
      result: { protocolVersion: 2 },
    });
    expect(rewriter.read({ id: 1, method: "auth/login", params: {} })).toMatchObject({
      method: "authenticate",
    });
    expect(rewriter.read({ id: 2, method: "session/load", params: {} })).toBeUndefined();
    expect(sent).toMatchObject([{ id: 2, error: { code: -32601 } }]);
  });
});

describe("the rewriter of a client", () => {
  it("hands on the updates of v2, and answers removed methods itself", () => {
    const sent: JsonObject[] = [];
    const rewriter = v2AgentRewriter({ protocolVersion: 2, info });
    rewriter.connect?.({ toWire: (frame) => void sent.push(frame), toHandlers: () => {} });
    const update = { sessionUpdate: "state_update", state: "running" };
    const frame = { method: "session/update", params: { sessionId: "s", update } };
    expect(rewriter.read(frame)).toEqual(frame);
    expect(rewriter.read({ id: 1, method: "fs/read_text_file", params: {} })).toBeUndefined();
    expect(sent).toMatchObject([{ id: 1, error: { code: -32601 } }]);
    expect(rewriter.write({ id: 2, method: "authenticate", params: {} })).toMatchObject({
      method: "auth/login",
    });
  });
});
