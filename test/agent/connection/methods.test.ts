import { describe, expect, it } from "vitest";
import { authRequired, sessionNotFound } from "../../../src/entries/agent.ts";
import { promptAgent } from "../definitions.ts";
import { errorOf, serve, workspace } from "../harness.ts";

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
