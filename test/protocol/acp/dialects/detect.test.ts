import { describe, expect, test } from "vitest";

import {
  detectingRewriter,
  isCrowRefusal,
  retryInitializeInCrow,
} from "../../../../src/protocol/acp/index.ts";
import { RemoteError } from "../../../../src/transport/rpc/errors.ts";
import { failure, notification, request, result } from "../../../support/messages.ts";
import { read, update, write } from "./messages.ts";

const canonicalInit = request(1, "initialize", { protocolVersion: 1 });
const crowInit = request(1, "initialize", { protocol_version: 1, client_capabilities: {} });
const cancel = notification("session/cancel", { sessionId: "s" });

describe("an agent detects the dialect from the initialize it receives", () => {
  test.each([
    [{ protocolVersion: 1 }, "canonical"],
    [{ protocol_version: 1 }, "crow"],
    [{ client_info: { name: "x", version: "1" } }, "crow"],
    [{ protocolVersion: 1, client_info: {} }, "canonical"],
    [{}, "canonical"],
  ] as const)("%j is %s", (params, dialect) => {
    const agent = detectingRewriter("agent");
    read(agent, request(1, "initialize", params));
    expect(agent.dialect).toBe(dialect);
  });

  test("and answers in the dialect of the request", () => {
    const agent = detectingRewriter("agent");
    expect(read(agent, crowInit)).toMatchObject([{ params: { protocolVersion: 1 } }]);
    expect(write(agent, result(1, { protocolVersion: 1 }))).toMatchObject([
      { result: { protocol_version: 1 } },
    ]);
    const other = detectingRewriter("agent");
    read(other, canonicalInit);
    expect(write(other, result(1, { protocolVersion: 1 }))).toEqual([
      result(1, { protocolVersion: 1 }),
    ]);
  });

  test("and does not change messages on a canonical connection", () => {
    const agent = detectingRewriter("agent");
    read(agent, canonicalInit);
    const messages = [
      request(2, "cancel", { session_id: "s" }),
      request(3, "session/prompt", { session_id: "s" }),
    ];
    for (const message of messages) expect(read(agent, message)).toEqual([message]);
  });
});

describe("a client detects the dialect from the response to initialize", () => {
  test("where snake_case means crow, starting with this response", () => {
    const client = detectingRewriter("client");
    expect(write(client, canonicalInit)).toEqual([canonicalInit]);
    const answer = result(1, { protocol_version: 1, agent_capabilities: { load_session: true } });
    expect(read(client, answer)).toEqual([
      result(1, { protocolVersion: 1, agentCapabilities: { loadSession: true } }),
    ]);
    expect(client.dialect).toBe("crow");
    expect(write(client, cancel)).toMatchObject([{ method: "cancel" }]);
  });

  test("where camelCase means canonical", () => {
    const client = detectingRewriter("client");
    write(client, canonicalInit);
    read(client, result(1, { protocolVersion: 1 }));
    expect(client.dialect).toBe("canonical");
    expect(write(client, cancel)).toEqual([cancel]);
    const odd = update("s", { "@type": "agent_message_text", text: "x" });
    expect(read(client, odd)).toEqual([odd]);
  });

  test("and from no other response", () => {
    const client = detectingRewriter("client");
    write(client, request(5, "_vendor/x", {}));
    read(client, result(5, { protocol_version: 1 }));
    expect(client.dialect).toBe("canonical");
  });
});

describe("a retry of initialize in crow", () => {
  const invalid = new RemoteError({ code: -32602, message: "Invalid params" }, "initialize");

  test.each<[unknown, boolean]>([
    [invalid, true],
    [failure(1, -32602, "Invalid params")["error"], true],
    [new RemoteError({ code: -32601, message: "?" }, "initialize"), false],
    [new Error("-32602"), false],
    [undefined, false],
    [-32602, false],
  ])("isCrowRefusal(%o) is %s", (error, expected) => {
    expect(isCrowRefusal(error)).toBe(expected);
  });

  /** A connection to an agent whose answer depends on the params on the wire. */
  function connectTo(answer: (params: unknown) => unknown) {
    const rewriter = detectingRewriter("client");
    const sent: unknown[] = [];
    let id = 0;
    const initialize = async (): Promise<unknown> => {
      const [wire] = write(rewriter, request(++id, "initialize", { protocolVersion: 1 }));
      sent.push(wire?.["params"]);
      const answered = await Promise.resolve(answer(wire?.["params"]));
      if (answered instanceof Error) {
        read(rewriter, failure(id, -32602, answered.message));
        throw answered;
      }
      return read(rewriter, result(id, answered))[0]?.["result"];
    };
    return { rewriter, sent, run: () => retryInitializeInCrow(rewriter, initialize) };
  }
  const isCrow = (params: unknown) => JSON.stringify(params).includes("protocol_version");

  test("succeeds with an agent that knows only crow", async () => {
    const { rewriter, sent, run } = connectTo((params) =>
      isCrow(params) ? { protocol_version: 1 } : invalid,
    );
    await expect(run()).resolves.toEqual({ protocolVersion: 1 });
    expect(rewriter.dialect).toBe("crow");
    expect(sent).toEqual([
      { protocolVersion: 1 },
      { protocol_version: 1, client_capabilities: {} },
    ]);
  });

  test("does not happen when the agent accepts the first initialize", async () => {
    const { rewriter, sent, run } = connectTo(() => ({ protocolVersion: 1 }));
    await run();
    expect(sent).toHaveLength(1);
    expect(rewriter.dialect).toBe("canonical");
  });

  test("that fails as well rejects with the first error and leaves the connection canonical", async () => {
    const errors = [invalid, new RemoteError({ code: -32602, message: "again" }, "initialize")];
    const { rewriter, run } = connectTo(() => errors.shift());
    await expect(run()).rejects.toBe(invalid);
    expect(rewriter.dialect).toBe("canonical");
  });

  test("passes on any other error of either attempt", async () => {
    const other = new Error("gone");
    const once = connectTo(() => other);
    await expect(once.run()).rejects.toBe(other);
    expect(once.sent).toHaveLength(1);
    const errors = [invalid, other];
    const twice = connectTo(() => errors.shift());
    await expect(twice.run()).rejects.toBe(other);
  });
});
