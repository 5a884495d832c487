// Mistakes of other programs that must not end a connection.
import { describe, expect, it } from "vitest";
import type { LogFields } from "../../../src/base/logger.ts";
import type { RemoteError } from "../../../src/transport/rpc/errors.ts";
import type { PeerOptions } from "../../../src/transport/rpc/peer.ts";
import { failure, notification, request, result } from "../../support/messages.ts";
import { connect } from "./raw.ts";

interface Logged {
  readonly message: string;
  readonly fields: LogFields | undefined;
}

function logging(): { lines: Logged[]; options: PeerOptions } {
  const lines: Logged[] = [];
  const warn = (message: string, fields?: LogFields): void => void lines.push({ message, fields });
  return { lines, options: { logger: { warn, error: warn } } };
}

const deepText = `${'{"a":'.repeat(20_000)}1${"}".repeat(20_000)}`;

const noise = [
  { line: "Starting up...", code: -32700 },
  { line: '{"jsonrpc":"2.0","id":1,"resu', code: -32700 },
  { line: "42", code: -32600 },
  { line: "null", code: -32600 },
  { line: '"text"', code: -32600 },
  { line: "{}", code: -32600 },
  { line: '{"jsonrpc":"2.0"}', code: -32600 },
  { line: '{"jsonrpc":"2.0","id":{},"method":"m"}', code: -32600 },
  { line: '{"jsonrpc":"2.0","method":7}', code: -32600 },
  { line: `{"deep":${deepText}}`, code: -32600 },
];

describe("a line that is not a message", () => {
  it.each(noise)(
    "is counted and logged by a client, and never answered: $line",
    async ({ line }) => {
      const { lines, options } = logging();
      const { peer, send, untilWritten, written, settled } = connect(options);
      send(line);
      await settled();
      expect(peer.stats.noise).toBe(1);
      expect(lines).toHaveLength(1);
      expect(written).toEqual([]);
      const call = peer.call("next");
      await untilWritten(1);
      send(result(1, "works"));
      expect(await call).toBe("works");
    },
  );

  it.each(noise)("is answered by an agent with $code: $line", async ({ line, code }) => {
    const { send, untilWritten } = connect({
      malformed: "answer",
      handlers: { request: () => "works" },
    });
    send(line, request(5, "next"));
    expect(await untilWritten(2)).toEqual([
      { jsonrpc: "2.0", id: null, error: { code, message: expect.any(String) as string } },
      result(5, "works"),
    ]);
  });

  it("is answered with its id if it has one", async () => {
    const { send, untilWritten } = connect({ malformed: "answer" });
    send({ jsonrpc: "2.0", id: 7, method: 8 });
    expect(await untilWritten(1)).toMatchObject([{ id: 7, error: { code: -32600 } }]);
  });

  it("is skipped and counted when a frame follows on the same line", async () => {
    const seen: unknown[] = [];
    const { peer, send, settled } = connect({
      handlers: { notification: (_, params) => seen.push(params) },
    });
    send(`progress 50% ${JSON.stringify(notification("n", 1))}`);
    await settled();
    expect(seen).toEqual([1]);
    expect(peer.stats.noise).toBe(1);
  });

  it("is logged in short form and without secrets", async () => {
    const { lines, options } = logging();
    const { send, settled } = connect(options);
    send(`OPENAI_API_KEY=sk-hidden ${"x".repeat(100_000)}`);
    send('{"env":[{"name":"A","value":"hidden"}],"cut');
    send({ token: "hidden" });
    await settled();
    expect(lines).toHaveLength(3);
    expect(JSON.stringify(lines)).not.toContain("hidden");
    expect(JSON.stringify(lines).length).toBeLessThan(2000);
  });
});

describe("a batch", () => {
  const batch = [request(1, "m"), notification("n"), result(1, null)];

  it.each(["ignore", "answer"] as const)(
    "is rejected as a whole with one -32600 (%s)",
    async (malformed) => {
      const seen: string[] = [];
      const { send, written, settled } = connect({
        malformed,
        handlers: {
          request: (method) => seen.push(method),
          notification: (method) => seen.push(method),
        },
      });
      send(batch);
      await settled();
      expect(written).toEqual([
        {
          jsonrpc: "2.0",
          id: null,
          error: { code: -32600, message: expect.any(String) as string },
        },
      ]);
      expect(seen).toEqual([]);
    },
  );

  it("of anything but protocol messages is noise to a client", async () => {
    const { peer, send, written, settled } = connect();
    send([1, 2, 3], []);
    await settled();
    expect(written).toEqual([]);
    expect(peer.stats.noise).toBe(2);
  });
});

describe("an id", () => {
  it.each([0, 1, -7, 1.5, 2 ** 53, "a", "", "1", null])("of a request may be %j", async (id) => {
    const { send, untilWritten } = connect({ handlers: { request: () => "ok" } });
    send(request(id, "m"));
    expect(await untilWritten(1)).toEqual([result(id, "ok")]);
  });

  it("that comes back as a string instead of a number still settles its call", async () => {
    const { peer, send, untilWritten } = connect();
    const call = peer.call("m");
    await untilWritten(1);
    send(result("1", "fine"));
    expect(await call).toBe("fine");
  });

  it.each(["", " ", "0x1", "1e0", " 1", "1.0", "01"])(
    "of a response that only resembles the id of a call (%j) settles nothing",
    async (id) => {
      const { peer, send, untilWritten, settled } = connect();
      const call = peer.call("m");
      await untilWritten(1);
      send(result(id, "wrong"));
      await settled();
      expect(peer.stats.strayResponses).toBe(1);
      send(result(1, "right"));
      expect(await call).toBe("right");
    },
  );

  it("may be used for two requests at the same time, and both are answered", async () => {
    const { send, untilWritten } = connect({ handlers: { request: (_, params) => params } });
    send(request(1, "m", "a"), request(1, "m", "b"));
    expect(await untilWritten(2)).toEqual([result(1, "a"), result(1, "b")]);
  });
});

describe("a response", () => {
  it("that arrives twice counts once", async () => {
    const { peer, send, untilWritten, settled } = connect();
    const call = peer.call("m");
    await untilWritten(1);
    send(result(1, "first"), result(1, "second"), failure(1, -1, "third"));
    expect(await call).toBe("first");
    await settled();
    expect(peer.stats.strayResponses).toBe(2);
  });

  it("to an unknown call is ignored and counted", async () => {
    const { peer, send, settled, written } = connect({ malformed: "answer" });
    send(result(99, {}), failure("x", -1, "no"), result(null, {}));
    await settled();
    expect(peer.stats).toEqual({ noise: 0, strayResponses: 3 });
    expect(written).toEqual([]);
  });

  it("with an error but no id is reported, and fails no call", async () => {
    const errors: RemoteError[] = [];
    const { peer, send, untilWritten } = connect({
      handlers: { orphanError: (error) => errors.push(error) },
    });
    const call = peer.call("m");
    await untilWritten(1);
    send(failure(null, -32602, "Invalid params", { field: "x" }), result(1, "fine"));
    expect(await call).toBe("fine");
    expect(errors).toMatchObject([
      {
        name: "RemoteError",
        rpcCode: -32602,
        message: "Invalid params",
        data: { field: "x" },
        method: undefined,
      },
    ]);
  });
});

describe("user code that fails", () => {
  const fails: [string, () => unknown][] = [
    [
      "throws",
      () => {
        throw new Error("mine");
      },
    ],
    ["rejects", () => Promise.reject(new Error("mine"))],
  ];

  it.each(fails)("in a handler (%s) does not break the connection", async (_, fail) => {
    const { lines, options } = logging();
    const { peer, send, untilWritten, settled } = connect({
      ...options,
      handlers: {
        request: fail,
        notification: fail,
        orphanError: fail,
      },
    });
    send(notification("n"), failure(null, -1, "orphan"), request(1, "m"), notification("n"));
    await untilWritten(1);
    await settled();
    expect(lines.filter(({ message }) => message.includes("handler failed"))).toHaveLength(2);
    const call = peer.call("next");
    await untilWritten(2);
    send(result(1, "works"));
    expect(await call).toBe("works");
  });

  it.each(fails)("in the logger (%s) does not break the connection", async (_, fail) => {
    const { peer, send, untilWritten } = connect({
      logger: { warn: fail, error: fail },
      handlers: { notification: fail },
    });
    send("noise", notification("n"), failure(null, -1, "orphan"));
    const call = peer.call("next");
    await untilWritten(1);
    send(result(1, "works"));
    expect(await call).toBe("works");
  });

  it("in the rewriter does not break the connection, and requests are still answered", async () => {
    const broken = (): never => {
      throw new Error("rewriter");
    };
    const reading = connect({ rewriter: { read: broken, write: (message) => message } });
    reading.send(notification("n"), request(1, "m"), result(9, null));
    expect(await reading.untilWritten(1)).toMatchObject([{ id: 1, error: { code: -32603 } }]);
    expect(reading.peer.stats.noise).toBe(3);

    const writing = connect({
      malformed: "answer",
      rewriter: { read: (message) => message, write: broken },
      handlers: { request: (_, params) => (params === "later" ? Promise.resolve(1) : 1) },
    });
    writing.send(request(1, "m"), request(2, "m", "later"), "noise");
    await expect(writing.peer.call("m")).rejects.toThrow("rewriter");
    await expect(writing.peer.notify("m")).rejects.toThrow("rewriter");
    await writing.settled();
    expect((await writing.peer.close()).kind).toBe("closed");
  });
});

describe("a message that is nested too deeply", () => {
  const deep = (frame: string): string =>
    frame.replace("DEEP", `${"[".repeat(100_000)}${"]".repeat(100_000)}`);

  it("is logged and skipped if it is a notification", async () => {
    const { lines, options } = logging();
    const seen: unknown[] = [];
    const notified = (_: string, params: unknown): number => seen.push(params);
    const { peer, send, settled, written } = connect({
      ...options,
      handlers: { notification: notified },
    });
    send(deep('{"jsonrpc":"2.0","method":"n","params":DEEP}'), notification("n", "next"));
    await settled();
    expect({ seen, written, noise: peer.stats.noise }).toEqual({
      seen: ["next"],
      written: [],
      noise: 1,
    });
    expect(lines).toHaveLength(1);
  });

  it("is answered with an error if it is a request", async () => {
    const { send, untilWritten } = connect({ handlers: { request: () => "works" } });
    send(deep('{"jsonrpc":"2.0","id":7,"method":"m","params":DEEP}'), request(8, "m"));
    expect(await untilWritten(2)).toEqual([
      failure(7, -32600, "The message is nested deeper than 500 levels"),
      result(8, "works"),
    ]);
  });

  it.each(['{"jsonrpc":"2.0","id":1,"result":DEEP}', '{"jsonrpc":"2.0","id":1,"error":DEEP}'])(
    "fails the call that it answers: %s",
    async (line) => {
      const { peer, send, untilWritten } = connect();
      const call = peer.call("m");
      await untilWritten(1);
      send(deep(line));
      await expect(call).rejects.toMatchObject({ name: "RpcError", rpcCode: -32600 });
    },
  );
});
