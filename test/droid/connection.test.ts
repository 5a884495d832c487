import { describe, expect, it } from "vitest";
import { DroidConnection } from "../../src/droid/process/connection.ts";
import { isJsonObject, type JsonObject } from "../../src/wire/index.ts";
import { memoryPair } from "../../src/entries/wire.ts";

interface Pair {
  readonly connection: DroidConnection;
  readonly sent: JsonObject[];
  readonly say: (frame: JsonObject) => void;
  /** Lets what is on its way arrive. */
  readonly settle: () => Promise<void>;
}

function pair(protocol?: string): Pair {
  const [own, droids] = memoryPair();
  const sent: JsonObject[] = [];
  droids.open((line) => {
    const frame: unknown = JSON.parse(line);
    if (isJsonObject(frame)) sent.push(frame);
  });
  const connection = new DroidConnection(own, undefined, {
    cliVersion: Promise.resolve(undefined),
  });
  const say = (frame: JsonObject): void => {
    const version = protocol === undefined ? {} : { factoryProtocolVersion: protocol };
    void droids.send(JSON.stringify({ jsonrpc: "2.0", ...version, ...frame }));
  };
  const settle = async (): Promise<void> => {
    for (let round = 0; round < 5; round++)
      await new Promise((resolve) => {
        setImmediate(resolve);
      });
  };
  return { connection, sent, say, settle };
}

const accept = (result: JsonObject): JsonObject => result;

describe("what is written to Droid", () => {
  it("has its dress: the type spelled out, ids as strings", async () => {
    const { connection, sent, settle } = pair();
    void connection.call("droid.x", { a: 1 }, { accept }).catch(() => {});
    await settle();
    expect(sent).toEqual([
      {
        jsonrpc: "2.0",
        factoryApiVersion: "1.0.0",
        type: "request",
        id: "1",
        method: "droid.x",
        params: { a: 1 },
      },
    ]);
  });

  it("never has an error code that Droid does not accept", async () => {
    const { connection, sent, say, settle } = pair();
    connection.handlers = {
      notification: () => {},
      request: () => {
        throw Object.assign(new Error("no"), { code: -32000 });
      },
      lateError: () => {},
    };
    say({ type: "request", id: "q", method: "droid.ask_user", params: {} });
    await settle();
    expect(sent).toMatchObject([{ type: "response", id: "q", error: { code: -32603 } }]);
  });
});

describe("calls to a Droid whose errors name no call", () => {
  it("go out one by one, and an error is the open one's", async () => {
    const { connection, sent, say, settle } = pair("1.15.0");
    say({ type: "notification", method: "x" });
    await settle();
    const first = connection.call("droid.first", {}, { accept }).catch((error: unknown) => error);
    const second = connection.call("droid.second", {}, { accept });
    await settle();
    expect(sent.map(({ method }) => method)).toEqual(["droid.first"]);
    say({ type: "response", id: null, error: { code: -32600, message: "Invalid request format" } });
    expect(await first).toMatchObject({ code: "unsupported" });
    await settle();
    expect(sent.map(({ method }) => method)).toEqual(["droid.first", "droid.second"]);
    say({ type: "response", id: "2", result: { ok: true } });
    expect(await second).toEqual({ ok: true });
  });

  it("let an interrupt pass", async () => {
    const { connection, sent, say, settle } = pair("1.15.0");
    say({ type: "notification", method: "x" });
    void connection.call("droid.slow", {}, { accept }).catch(() => {});
    await settle();
    void connection.call("droid.interrupt_session", {}, { accept, atOnce: true }).catch(() => {});
    await settle();
    expect(sent.map(({ method }) => method)).toEqual(["droid.slow", "droid.interrupt_session"]);
  });

  it("go out together where errors name their call", async () => {
    const { connection, sent, say, settle } = pair("1.220.0");
    say({ type: "notification", method: "x" });
    await connection.recognized;
    await settle();
    void connection.call("droid.a", {}, { accept }).catch(() => {});
    void connection.call("droid.b", {}, { accept }).catch(() => {});
    await settle();
    expect(sent).toHaveLength(2);
  });
});

it("reads on while a call is open, though reading is held", async () => {
  const { connection, say, settle } = pair("1.220.0");
  let seen = 0;
  connection.handlers = {
    notification: () => seen++,
    request: () => undefined,
    lateError: () => {},
  };
  const note = {
    type: "notification",
    method: "droid.session_notification",
    params: { notification: { type: "x" } },
  };
  say(note);
  await settle();
  expect(seen).toBe(1);
  const release = connection.hold();
  say(note);
  await settle();
  expect(seen).toBe(1);
  const answer = connection.call("droid.x", {}, { accept });
  say({ type: "response", id: "1", result: {} });
  await answer;
  expect(seen).toBe(2);
  say(note);
  await settle();
  expect(seen).toBe(2);
  release();
  await settle();
  expect(seen).toBe(3);
});

it("tells an error that comes after the answer", async () => {
  const { connection, say, settle } = pair("1.220.0");
  const late: string[] = [];
  connection.handlers = {
    notification: () => {},
    request: () => undefined,
    lateError: (id, error) => late.push(`${id}: ${error.message}`),
  };
  let id = "";
  const answer = connection.call("droid.x", {}, { accept, onSent: (sent) => (id = sent) });
  await settle();
  say({ type: "response", id, result: {} });
  await answer;
  say({ type: "response", id, error: { code: -32603, message: "after all" } });
  await settle();
  expect(late).toEqual(["1: after all"]);
});
