import { describe, expect, it } from "vitest";
import {
  agentCapabilitiesToV1,
  agentCapabilitiesToV2,
  authMethodsToV1,
  authMethodsToV2,
  clientCapabilitiesToV1,
  clientCapabilitiesToV2,
  v2AgentHasStdioMcp,
} from "../../../../src/protocol/translator/shapes/capabilities.ts";
import { strictFaults } from "../../../support/schema.ts";

const login = [{ methodId: "key", name: "Key", type: "agent" }];

describe("the capabilities of a v2 agent in v1", () => {
  it("are booleans and the methods that every v2 agent has", () => {
    const given = {
      session: {
        prompt: { image: {}, audio: null },
        mcp: { stdio: {}, http: {} },
        delete: {},
        additionalDirectories: {},
      },
    };
    const inV1 = agentCapabilitiesToV1(given, login);
    expect(inV1).toEqual({
      loadSession: true,
      promptCapabilities: { image: true, audio: false, embeddedContext: false },
      mcpCapabilities: { http: true, sse: false },
      sessionCapabilities: {
        list: {},
        resume: {},
        close: {},
        delete: {},
        additionalDirectories: {},
      },
      auth: { logout: {} },
    });
    expect(strictFaults("AgentCapabilities", inV1)).toEqual([]);
  });

  it.each([undefined, null, {}, 5, { session: null }])("say no to sessions for %j", (given) => {
    expect(agentCapabilitiesToV1(given, [])).toEqual({
      loadSession: false,
      promptCapabilities: { image: false, audio: false, embeddedContext: false },
      mcpCapabilities: { http: false, sse: false },
      auth: {},
    });
  });

  it("keep extensions", () => {
    const given = { _meta: { a: 1 }, providers: {}, session: { fork: {}, prompt: { _meta: {} } } };
    expect(agentCapabilitiesToV1(given, undefined)).toMatchObject({
      _meta: { a: 1 },
      providers: {},
      sessionCapabilities: { fork: {} },
      promptCapabilities: { _meta: {} },
    });
  });

  it.each([
    [{ session: { mcp: { stdio: {} } } }, true],
    [{ session: { mcp: { stdio: null } } }, false],
    [{ session: {} }, false],
    [undefined, false],
  ])("%j: starts MCP servers by a command: %s", (given, starts) => {
    expect(v2AgentHasStdioMcp(given)).toBe(starts);
  });
});

describe("the capabilities of a v1 agent in v2", () => {
  it("are objects, and always have sessions", () => {
    const given = {
      loadSession: true,
      promptCapabilities: { image: true, audio: false },
      mcpCapabilities: { http: true, sse: true },
      sessionCapabilities: { list: {}, delete: {} },
      auth: { logout: {} },
    };
    const inV2 = agentCapabilitiesToV2(given);
    expect(inV2).toEqual({
      session: { delete: {}, prompt: { image: {} }, mcp: { stdio: {}, http: {} } },
      auth: {},
    });
    expect(strictFaults("AgentCapabilities", inV2, "v2")).toEqual([]);
    expect(agentCapabilitiesToV2(null)).toEqual({ session: { prompt: {}, mcp: { stdio: {} } } });
  });
});

describe("the capabilities of a client", () => {
  it("offer neither files nor terminals to a v1 agent", () => {
    const inV1 = clientCapabilitiesToV1({ auth: { terminal: {} }, elicitation: { form: {} } });
    expect(inV1).toEqual({
      fs: { readTextFile: false, writeTextFile: false },
      terminal: false,
      auth: { terminal: true },
      elicitation: { form: {} },
      session: { configOptions: { boolean: {} }, notices: {}, compaction: {} },
    });
    expect(strictFaults("ClientCapabilities", inV1)).toEqual([]);
  });

  it("have no files, terminals and session in v2", () => {
    const given = {
      fs: { readTextFile: true },
      terminal: true,
      session: { notices: {} },
      auth: { terminal: true, _meta: {} },
      elicitation: { url: {} },
    };
    const inV2 = clientCapabilitiesToV2(given);
    expect(inV2).toEqual({ auth: { terminal: {}, _meta: {} }, elicitation: { url: {} } });
    expect(strictFaults("ClientCapabilities", inV2, "v2")).toEqual([]);
    expect(clientCapabilitiesToV2({ auth: { terminal: false } })).toEqual({ auth: {} });
    expect(clientCapabilitiesToV2(undefined)).toEqual({});
  });
});

describe("login methods", () => {
  const inV1 = [
    { id: "key", name: "Key" },
    { id: "tty", name: "Terminal", type: "terminal", args: ["login"], env: { A: "1", B: "" } },
  ];
  const inV2 = [
    { methodId: "key", name: "Key", type: "agent" },
    {
      methodId: "tty",
      name: "Terminal",
      type: "terminal",
      args: ["login"],
      env: [
        { name: "A", value: "1" },
        { name: "B", value: "" },
      ],
    },
  ];

  it("are the same in both versions, in other words", () => {
    expect(authMethodsToV1(inV2)).toEqual(inV1);
    expect(authMethodsToV2(inV1)).toEqual(inV2);
    for (const method of inV1) expect(strictFaults("AuthMethod", method)).toEqual([]);
    for (const method of inV2) expect(strictFaults("AuthMethod", method, "v2")).toEqual([]);
  });

  it.each([undefined, null, 5, [5]])("are none for %j", (given) => {
    expect(authMethodsToV1(given)).toEqual([]);
    expect(authMethodsToV2(given)).toEqual([]);
  });

  it("with an odd environment have an empty one", () => {
    expect(authMethodsToV1([{ methodId: "a", env: 5 }])).toEqual([
      { id: "a", type: undefined, env: {} },
    ]);
    expect(authMethodsToV2([{ id: "a", env: 5 }])).toEqual([
      { methodId: "a", type: "agent", env: [] },
    ]);
  });
});
