// What other programs get wrong, and what must not end a connection.
import { describe, expect, it } from "vitest";
import type { LogFields } from "../../src/wire/logger.ts";
import type { RemoteError } from "../../src/rpc/errors.ts";
import type { PeerOptions } from "../../src/rpc/peer.ts";
import { failure, joined, notification, request, result } from "./raw.ts";

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

describe("a line that is no message", () => {
  it.each(noise)("is counted, logged and never answered by a client: $line", async ({ line }) => {
    const { lines, options } = logging();
    const { peer, say, until, heard, settled } = joined(options);
    say(line);
    await settled();
    expect(peer.stats.noise).toBe(1);
    expect(lines).toHaveLength(1);
    expect(heard).toEqual([]);
    const call = peer.call("next");
    await until(1);
    say(result(1, "works"));
    expect(await call).toBe("works");
    await peer.close();
  });

  it.each(noise)("is answered by an agent with $code: $line", async ({ line, code }) => {
    const { peer, say, until } = joined({
      malformed: "answer",
      handlers: { request: () => "works" },
    });
    say(line, request(5, "next"));
    expect(await until(2)).toEqual([
      { jsonrpc: "2.0", id: null, error: { code, message: expect.any(String) as string } },
      result(5, "works"),
    ]);
    await peer.close();
  });

  it("is answered with its id where it has one", async () => {
    const { peer, say, until } = joined({ malformed: "answer" });
    say({ jsonrpc: "2.0", id: 7, method: 8 });
    expect(await until(1)).toMatchObject([{ id: 7, error: { code: -32600 } }]);
    await peer.close();
  });

  it("glued in front of a frame is skipped and counted", async () => {
    const seen: unknown[] = [];
    const { peer, say, settled } = joined({
      handlers: { notification: (_, params) => seen.push(params) },
    });
    say(`progress 50% ${JSON.stringify(notification("n", 1))}`);
    await settled();
    expect(seen).toEqual([1]);
    expect(peer.stats.noise).toBe(1);
    await peer.close();
  });

  it("is logged short and without secrets", async () => {
    const { lines, options } = logging();
    const { peer, say, settled } = joined(options);
    say(`OPENAI_API_KEY=sk-hidden ${"x".repeat(100_000)}`);
    say('{"env":[{"name":"A","value":"hidden"}],"cut');
    say({ token: "hidden" });
    await settled();
    expect(lines).toHaveLength(3);
    expect(JSON.stringify(lines)).not.toContain("hidden");
    expect(JSON.stringify(lines).length).toBeLessThan(2000);
    await peer.close();
  });
});

describe("a batch", () => {
  const batch = [request(1, "m"), notification("n"), result(1, null)];

  it.each(["ignore", "answer"] as const)(
    "is refused as a whole with one -32600 (%s)",
    async (malformed) => {
      const seen: string[] = [];
      const { peer, say, heard, settled } = joined({
        malformed,
        handlers: {
          request: (method) => seen.push(method),
          notification: (method) => seen.push(method),
        },
      });
      say(batch);
      await settled();
      expect(heard).toEqual([
        {
          jsonrpc: "2.0",
          id: null,
          error: { code: -32600, message: expect.any(String) as string },
        },
      ]);
      expect(seen).toEqual([]);
      await peer.close();
    },
  );

  it("of something else is noise to a client", async () => {
    const { peer, say, heard, settled } = joined();
    say([1, 2, 3], []);
    await settled();
    expect(heard).toEqual([]);
    expect(peer.stats.noise).toBe(2);
    await peer.close();
  });
});

describe("an id", () => {
  it.each([0, 1, -7, 1.5, 2 ** 53, "a", "", "1", null])("of a request may be %j", async (id) => {
    const { peer, say, until } = joined({ handlers: { request: () => "ok" } });
    say(request(id, "m"));
    expect(await until(1)).toEqual([result(id, "ok")]);
    await peer.close();
  });

  it("comes back in the wrong spelling from some, and still settles its call", async () => {
    const { peer, say, until } = joined();
    const call = peer.call("m");
    await until(1);
    say(result("1", "fine"));
    expect(await call).toBe("fine");
    await peer.close();
  });

  it.each(["", " ", "0x1", "1e0", " 1", "1.0", "01"])(
    "of a response that only resembles one (%j) settles nothing",
    async (id) => {
      const { peer, say, until, settled } = joined();
      const call = peer.call("m");
      await until(1);
      say(result(id, "wrong"));
      await settled();
      expect(peer.stats.strayResponses).toBe(1);
      say(result(1, "right"));
      expect(await call).toBe("right");
      await peer.close();
    },
  );

  it("may be used for two requests at the same time; both are answered", async () => {
    const { peer, say, until } = joined({ handlers: { request: (_, params) => params } });
    say(request(1, "m", "a"), request(1, "m", "b"));
    expect(await until(2)).toEqual([result(1, "a"), result(1, "b")]);
    await peer.close();
  });
});

describe("a response", () => {
  it("that comes twice counts once", async () => {
    const { peer, say, until, settled } = joined();
    const call = peer.call("m");
    await until(1);
    say(result(1, "first"), result(1, "second"), failure(1, -1, "third"));
    expect(await call).toBe("first");
    await settled();
    expect(peer.stats.strayResponses).toBe(2);
    await peer.close();
  });

  it("to a call that nobody made is ignored and counted", async () => {
    const { peer, say, settled, heard } = joined({ malformed: "answer" });
    say(result(99, {}), failure("x", -1, "no"), result(null, {}));
    await settled();
    expect(peer.stats).toEqual({ noise: 0, strayResponses: 3 });
    expect(heard).toEqual([]);
    await peer.close();
  });

  it("with an error that names no call is told, and fails no call", async () => {
    const errors: RemoteError[] = [];
    const { peer, say, until } = joined({
      handlers: { orphanError: (error) => errors.push(error) },
    });
    const call = peer.call("m");
    await until(1);
    say(failure(null, -32602, "Invalid params", { field: "x" }), result(1, "fine"));
    expect(await call).toBe("fine");
    expect(errors).toMatchObject([
      {
        name: "RemoteError",
        code: -32602,
        message: "Invalid params",
        data: { field: "x" },
        method: undefined,
      },
    ]);
    await peer.close();
  });

  it("with an error of any shape and depth fails its call", async () => {
    const { peer, say, until } = joined();
    const call = peer.call("m");
    await until(1);
    say(`{"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":${deepText}}}`);
    await expect(call).rejects.toMatchObject({ name: "RemoteError", code: -1 });
    await peer.close();
  });
});

describe("code of the user's that fails", () => {
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
    const { peer, say, until, settled } = joined({
      ...options,
      handlers: {
        request: fail,
        notification: fail,
        orphanError: fail,
      },
    });
    say(notification("n"), failure(null, -1, "orphan"), request(1, "m"), notification("n"));
    await until(1);
    await settled();
    expect(lines.filter(({ message }) => message.includes("handler failed"))).toHaveLength(2);
    const call = peer.call("next");
    await until(2);
    say(result(1, "works"));
    expect(await call).toBe("works");
    await peer.close();
  });

  it.each(fails)("in the logger (%s) does not break the connection", async (_, fail) => {
    const { peer, say, until } = joined({
      logger: { warn: fail, error: fail },
      handlers: { notification: fail },
    });
    say("noise", notification("n"), failure(null, -1, "orphan"));
    const call = peer.call("next");
    await until(1);
    say(result(1, "works"));
    expect(await call).toBe("works");
    await peer.close();
  });

  it("in the rewriter does not break the connection, and a request is still answered", async () => {
    const broken = (): never => {
      throw new Error("rewriter");
    };
    const reading = joined({ rewriter: { read: broken, write: (message) => message } });
    reading.say(notification("n"), request(1, "m"), result(9, null));
    expect(await reading.until(1)).toMatchObject([{ id: 1, error: { code: -32603 } }]);
    expect(reading.peer.stats.noise).toBe(3);
    await reading.peer.close();

    const writing = joined({
      malformed: "answer",
      rewriter: { read: (message) => message, write: broken },
      handlers: { request: (_, params) => (params === "later" ? Promise.resolve(1) : 1) },
    });
    writing.say(request(1, "m"), request(2, "m", "later"), "noise");
    await expect(writing.peer.call("m")).rejects.toThrow("rewriter");
    await expect(writing.peer.notify("m")).rejects.toThrow("rewriter");
    await writing.settled();
    expect((await writing.peer.close()).kind).toBe("closed");
  });
});

describe("a rewriter", () => {
  it("may swallow, change and multiply messages both ways", async () => {
    const seen: unknown[] = [];
    const { peer, say, heard, settled } = joined({
      handlers: { notification: (method) => seen.push(method) },
      rewriter: {
        read: (message) =>
          message["method"] === "drop"
            ? undefined
            : message["method"] === "twice"
              ? [{ method: "one" }, { method: "two" }]
              : { ...message, method: "changed" },
        write: (message) =>
          message["method"] === "drop" ? undefined : [message, { ...message, method: "copy" }],
      },
    });
    say(notification("drop"), notification("twice"), notification("x"));
    await peer.notify("drop");
    await peer.notify("sent");
    await settled();
    expect(seen).toEqual(["one", "two", "changed"]);
    expect(heard.map((frame) => frame["method"])).toEqual(["sent", "copy"]);
    await peer.close();
  });
});
