import { describe, expect, it } from "vitest";
import { DroidConnection } from "../../../src/droid/process/connection.ts";
import { isJsonObject, type JsonObject } from "../../../src/base/index.ts";
import { memoryPair } from "../../../src/entries/wire.ts";

function pair(protocol?: string, handlers: Partial<DroidConnection["handlers"]> = {}) {
  const [local, remote] = memoryPair();
  const sent: JsonObject[] = [];
  remote.open((line) => {
    const frame: unknown = JSON.parse(line);
    if (isJsonObject(frame)) sent.push(frame);
  });
  const connection = new DroidConnection(local, undefined, {
    cliVersion: Promise.resolve(undefined),
  });
  connection.handlers = { ...connection.handlers, ...handlers };
  const droidSends = (frame: JsonObject): void => {
    const version = protocol === undefined ? {} : { factoryProtocolVersion: protocol };
    void remote.send(JSON.stringify({ jsonrpc: "2.0", ...version, ...frame }));
  };
  /** Lets frames that are in transit arrive. */
  const settle = async (): Promise<void> => {
    for (let round = 0; round < 5; round++)
      await new Promise((resolve) => {
        setImmediate(resolve);
      });
  };
  return { connection, sent, droidSends, settle };
}

const accept = (result: JsonObject): JsonObject => result;

describe("a frame to Droid", () => {
  it("has a type, and a string as its id", async () => {
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
    const { sent, droidSends, settle } = pair(undefined, {
      request: () => {
        throw Object.assign(new Error("no"), { code: -32000 });
      },
    });
    droidSends({ type: "request", id: "q", method: "droid.ask_user", params: {} });
    await settle();
    expect(sent).toMatchObject([{ type: "response", id: "q", error: { code: -32603 } }]);
  });
});

describe("calls to a Droid whose errors have no request id", () => {
  it("are sent one at a time, and an error belongs to the open call", async () => {
    const { connection, sent, droidSends, settle } = pair("1.15.0");
    droidSends({ type: "notification", method: "x" });
    await settle();
    const first = connection.call("droid.first", {}, { accept }).catch((error: unknown) => error);
    const second = connection.call("droid.second", {}, { accept });
    await settle();
    expect(sent.map(({ method }) => method)).toEqual(["droid.first"]);
    droidSends({
      type: "response",
      id: null,
      error: { code: -32600, message: "Invalid request format" },
    });
    expect(await first).toMatchObject({ code: "unsupported" });
    await settle();
    expect(sent.map(({ method }) => method)).toEqual(["droid.first", "droid.second"]);
    droidSends({ type: "response", id: "2", result: { ok: true } });
    expect(await second).toEqual({ ok: true });
  });

  it("do not hold up an interrupt", async () => {
    const { connection, sent, droidSends, settle } = pair("1.15.0");
    droidSends({ type: "notification", method: "x" });
    void connection.call("droid.slow", {}, { accept }).catch(() => {});
    await settle();
    void connection.call("droid.interrupt_session", {}, { accept, atOnce: true }).catch(() => {});
    await settle();
    expect(sent.map(({ method }) => method)).toEqual(["droid.slow", "droid.interrupt_session"]);
  });
});

describe("calls to a Droid whose errors have a request id", () => {
  it("are sent at once", async () => {
    const { connection, sent, droidSends, settle } = pair("1.220.0");
    droidSends({ type: "notification", method: "x" });
    await connection.recognized;
    await settle();
    void connection.call("droid.a", {}, { accept }).catch(() => {});
    void connection.call("droid.b", {}, { accept }).catch(() => {});
    await settle();
    expect(sent).toHaveLength(2);
  });
});

describe("a connection to Droid", () => {
  it("continues reading while a call is open, even if reading is paused", async () => {
    let seen = 0;
    const { connection, droidSends, settle } = pair("1.220.0", { notification: () => seen++ });
    const notification = {
      type: "notification",
      method: "droid.session_notification",
      params: { notification: { type: "x" } },
    };
    droidSends(notification);
    await settle();
    expect(seen).toBe(1);
    const release = connection.hold();
    droidSends(notification);
    await settle();
    expect(seen).toBe(1);
    const answer = connection.call("droid.x", {}, { accept });
    droidSends({ type: "response", id: "1", result: {} });
    await answer;
    expect(seen).toBe(2);
    droidSends(notification);
    await settle();
    expect(seen).toBe(2);
    release();
    await settle();
    expect(seen).toBe(3);
  });

  it("reports an error that follows a successful response", async () => {
    const late: string[] = [];
    const { connection, droidSends, settle } = pair("1.220.0", {
      lateError: (id, error) => late.push(`${id}: ${error.message}`),
    });
    let id = "";
    const answer = connection.call("droid.x", {}, { accept, onSent: (sent) => (id = sent) });
    await settle();
    droidSends({ type: "response", id, result: {} });
    await answer;
    droidSends({ type: "response", id, error: { code: -32603, message: "after all" } });
    await settle();
    expect(late).toEqual(["1: after all"]);
  });
});
