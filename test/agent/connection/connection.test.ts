import { describe, expect, it } from "vitest";
import { ClientConnection } from "../../../src/agent/connection/connection.ts";
import { memoryPair } from "../../../src/transport/wire/index.ts";
import { promptAgent } from "../definitions.ts";
import { errorOf, inTurn, serve, TestClient, UUID, workspace } from "../harness.ts";
import {
  authRequired,
  type ClientCapability,
  sessionNotFound,
  type Turn,
  UnsupportedByClientError,
} from "../../../src/entries/agent.ts";

describe("initialize", () => {
  it.each([1, 0, 2, 65535])("answers a request for version %d with version 1", async (version) => {
    const { client } = await serve(async () => {}, { raw: true });
    const result = await client.call("initialize", { protocolVersion: version });
    expect(result["protocolVersion"]).toBe(1);
  });

  it("must be the first request and is accepted only once", async () => {
    const { client } = await serve(async () => {}, { raw: true });
    for (const method of ["session/new", "session/prompt", "authenticate", "nothing", "_x"]) {
      expect(await errorOf(client.peer.call(method, workspace))).toMatchObject({ code: -32600 });
    }
    await client.initialize();
    expect(await errorOf(client.initialize())).toMatchObject({ code: -32600 });
    expect(await client.newSession()).toMatch(UUID);
  });

  it("can be repeated after invalid params", async () => {
    const { client } = await serve(async () => {}, { raw: true });
    expect(await errorOf(client.call("initialize", { protocolVersion: "1" }))).toMatchObject({
      code: -32602,
      data: { errors: [{ path: "protocolVersion" }] },
    });
    expect(await client.initialize()).toMatchObject({ protocolVersion: 1 });
  });
});

describe("a turn that ignores its signal", () => {
  it("is abandoned some time after the client disconnects", async () => {
    const calls: string[] = [];
    const agent = promptAgent(
      async (turn) => {
        await turn.say("working");
        await new Promise<never>(() => {});
      },
      {
        closeSession: () => void calls.push("closeSession"),
        close: ({ kind }) => void calls.push(`close: ${kind}`),
      },
    );
    const [clientEnd, agentEnd] = memoryPair();
    const connection = new ClientConnection(agentEnd, agent, {}, 10);
    const client = new TestClient(clientEnd);
    await client.initialize();
    const prompt = client.prompt(await client.newSession(), "x");
    await client.waitFor("update agent_message_chunk");
    await client.peer.close();
    await expect(prompt).rejects.toMatchObject({ name: "ConnectionError" });
    expect(await connection.done).toEqual({ kind: "ended" });
    expect(calls).toEqual(["close: ended"]);
  });
});

describe("a method that the definition does not implement", () => {
  it.each([
    "session/load",
    "session/resume",
    "session/fork",
    "session/list",
    "session/close",
    "session/delete",
    "session/set_mode",
    "session/set_config_option",
    "authenticate",
    "logout",
    "session/nothing",
    "_nothing",
  ])("fails with -32601: %s", async (method) => {
    const { client } = await serve(async () => {});
    expect(await errorOf(client.peer.call(method, {}))).toMatchObject({ code: -32601 });
  });
});

describe("signing in", () => {
  it("is required before sessions if the agent demands it", async () => {
    let signedIn = false;
    const { client } = await serve(
      promptAgent(async () => {}, {
        authMethods: [{ id: "key", name: "Key" }],
        authenticate: () => {
          signedIn = true;
        },
        isAuthenticated: () => signedIn,
        logout: () => {
          signedIn = false;
        },
        listSessions: () => ({ sessions: [] }),
      }),
    );
    const required = { code: -32000, message: "Authentication required" };
    expect(await errorOf(client.newSession())).toEqual(required);
    expect(await errorOf(client.call("session/list"))).toEqual(required);
    expect(await errorOf(client.call("authenticate", { methodId: "other" }))).toMatchObject({
      code: -32602,
      data: { errors: [{ path: "methodId" }] },
    });
    expect(await client.call("authenticate", { methodId: "key" })).toEqual({});
    const sessionId = await client.newSession();
    expect(await client.prompt(sessionId, "x")).toBe("end_turn");
    expect(await client.call("logout")).toEqual({});
    expect(await errorOf(client.prompt(sessionId, "x"))).toEqual(required);
  });

  it("can be demanded by any handler", async () => {
    const { client } = await serve(async () => {
      throw authRequired("The key has expired");
    });
    expect(await errorOf(client.prompt(await client.newSession(), "x"))).toEqual({
      code: -32000,
      message: "The key has expired",
    });
  });
});

describe("an unknown session", () => {
  const agent = promptAgent(async () => {}, {
    loadSession: () => undefined,
    resumeSession: () => undefined,
    closeSession: () => {},
    deleteSession: (id) => {
      throw sessionNotFound(id);
    },
    modes: () => ({ currentModeId: "a", availableModes: [{ id: "a", name: "A" }] }),
    setMode: () => {},
    configOptions: () => [],
    setConfigOption: () => {},
  });
  it.each([
    ["session/prompt", { prompt: [] }],
    ["session/load", workspace],
    ["session/resume", workspace],
    ["session/set_mode", { modeId: "a" }],
    ["session/set_config_option", { configId: "a", value: "b" }],
  ])("fails with -32002 in %s", async (method, params) => {
    const { client } = await serve(agent);
    expect(await errorOf(client.call(method, { sessionId: "unknown", ...params }))).toEqual({
      code: -32002,
      message: "Session not found",
      data: { sessionId: "unknown" },
    });
  });
  it.each(["session/close", "session/delete"])("is a success for %s", async (method) => {
    const { client } = await serve(agent);
    expect(await client.call(method, { sessionId: "unknown" })).toEqual({});
  });
});

describe("the client's capabilities", () => {
  const uses: [ClientCapability, (turn: Turn<object>) => Promise<unknown>][] = [
    ["fs.readTextFile", (turn) => turn.readFile("/x")],
    ["fs.writeTextFile", (turn) => turn.writeFile("/x", "y")],
    ["terminal", (turn) => turn.terminal({ command: "x" })],
    ["elicitation.form", (turn) => turn.elicit({ message: "m", schema: {} })],
    ["elicitation.url", (turn) => turn.elicitUrl({ message: "m", url: "https://x.example" })],
    ["session.notices", (turn) => turn.notice({ severity: "info", title: "t" })],
    ["session.compaction", (turn) => turn.compaction("c", "in_progress")],
    [
      "session.notices",
      (turn) => turn.update({ sessionUpdate: "notice", severity: "info", title: "t" }),
    ],
  ];
  it.each(uses)(
    "prevent the use of helpers that the client does not advertise: %s",
    async (capability, use) => {
      const { value, client } = await inTurn(
        async (turn) => ({
          can: turn.client.can(capability),
          error: await use(turn).catch((error: unknown) => error),
        }),
        {},
        {},
      );
      expect(value.can).toBe(false);
      expect(value.error).toBeInstanceOf(UnsupportedByClientError);
      expect(value.error).toMatchObject({ capability, code: "unsupported" });
      expect(client.log).toEqual([]);
    },
  );

  it("can be checked in advance, together with the client's name and dialect", async () => {
    const { value } = await inTurn(async ({ client }) => ({
      can: client.can("terminal"),
      info: client.info,
      dialect: client.dialect,
      fs: client.capabilities.fs,
    }));
    expect(value).toEqual({
      can: true,
      info: { name: "test", version: "0" },
      dialect: "canonical",
      fs: { readTextFile: true, writeTextFile: true },
    });
  });
});

describe("extension methods", () => {
  it("work in both directions", async () => {
    let received: unknown;
    const { client } = await serve(
      promptAgent(
        async (turn) => {
          await turn.client.notify("_test/notice", { n: 1 });
          received = await turn.client.call("_test/ask", { n: 2 });
        },
        {
          requests: { "_test/double": (params) => ({ given: params }) },
          notifications: { "_test/report": (params) => void (received = params) },
        },
      ),
      { answers: { "_test/ask": () => ({ yes: true }) } },
    );
    await client.prompt(await client.newSession(), "x");
    expect(client.log).toEqual(["_test/notice", "_test/ask"]);
    expect(received).toEqual({ yes: true });
    await client.peer.notify("_test/report", { n: 3 });
    expect(await client.call("_test/double", { a: 1 })).toEqual({ given: { a: 1 } });
    expect(received).toEqual({ n: 3 });
  });
});
