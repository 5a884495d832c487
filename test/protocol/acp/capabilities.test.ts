import { describe, expect, test } from "vitest";
import {
  type AgentCapability,
  agentCapabilityFor,
  agentHas,
  type ClientCapability,
  clientCapabilityFor,
  clientHas,
  elicitationCapability,
  mcpServerKind,
  mcpServerLacks,
  promptBlockLacks,
  readAgentCapabilities,
  readClientCapabilities,
  isUnstableCapability,
  UNSTABLE_METHODS,
  usableCapabilities,
  withUnstableAgentCapabilities,
  withUnstableClientCapabilities,
} from "../../../src/protocol/acp/index.ts";
import * as acp from "../../../src/protocol/acp/index.ts";

/** An object with a value at a dotted path. */
function at(path: string, value: unknown): unknown {
  return path.split(".").reduceRight<unknown>((inner, key) => ({ [key]: inner }), value);
}

const agentBooleans: AgentCapability[] = [
  "loadSession",
  "promptCapabilities.image",
  "promptCapabilities.audio",
  "promptCapabilities.embeddedContext",
  "mcpCapabilities.http",
  "mcpCapabilities.sse",
];
const agentObjects: AgentCapability[] = [
  "sessionCapabilities.list",
  "sessionCapabilities.delete",
  "sessionCapabilities.resume",
  "sessionCapabilities.close",
  "sessionCapabilities.additionalDirectories",
  "sessionCapabilities.fork",
  "auth.logout",
];
const clientBooleans: ClientCapability[] = [
  "fs.readTextFile",
  "fs.writeTextFile",
  "terminal",
  "auth.terminal",
];
const clientObjects: ClientCapability[] = [
  "elicitation.form",
  "elicitation.url",
  "session.configOptions.boolean",
  "session.notices",
  "session.compaction",
];

describe("a capability", () => {
  test.each([
    ...agentBooleans.map((path) => [path, (raw: unknown) => agentHas(raw, path)] as const),
    ...clientBooleans.map((path) => [path, (raw: unknown) => clientHas(raw, path)] as const),
  ])("%s is present only for true", (path, has) => {
    expect(has(at(path, true))).toBe(true);
    for (const other of [false, null, undefined, {}, 1, "true", []]) {
      expect(has(at(path, other))).toBe(false);
    }
  });

  test.each([
    ...agentObjects.map((path) => [path, (raw: unknown) => agentHas(raw, path)] as const),
    ...clientObjects.map((path) => [path, (raw: unknown) => clientHas(raw, path)] as const),
  ])("%s is present only for an object", (path, has) => {
    expect(has(at(path, {}))).toBe(true);
    expect(has(at(path, { _meta: null }))).toBe(true);
    for (const other of [true, false, null, undefined, 1, "yes", []]) {
      expect(has(at(path, other))).toBe(false);
    }
  });

  test("counts only at its exact path", () => {
    expect(agentHas({ tools: { loadSession: true } }, "loadSession")).toBe(false);
    expect(agentHas({ load_session: true }, "loadSession")).toBe(false);
    expect(agentHas(Object.create({ loadSession: true }), "loadSession")).toBe(false);
    for (const raw of [undefined, null, 1, "x", [], true]) {
      expect(agentHas(raw, "sessionCapabilities.list")).toBe(false);
    }
  });

  test("is absent in an empty elicitation object", () => {
    expect(clientHas({ elicitation: {} }, "elicitation.form")).toBe(false);
    expect(clientHas({ elicitation: {} }, "elicitation.url")).toBe(false);
  });
});

describe("what needs a capability", () => {
  test("some methods do, others do not", () => {
    expect(agentCapabilityFor("session/load")).toBe("loadSession");
    expect(agentCapabilityFor("session/fork")).toBe("sessionCapabilities.fork");
    expect(agentCapabilityFor("logout")).toBe("auth.logout");
    expect(agentCapabilityFor("session/prompt")).toBeUndefined();
    expect(clientCapabilityFor("fs/write_text_file")).toBe("fs.writeTextFile");
    expect(clientCapabilityFor("terminal/kill")).toBe("terminal");
    expect(clientCapabilityFor("session/request_permission")).toBeUndefined();
    expect(elicitationCapability("form")).toBe("elicitation.form");
    expect(elicitationCapability("url")).toBe("elicitation.url");
    expect(elicitationCapability("hologram")).toBeUndefined();
  });

  test.each([
    ["text", undefined],
    ["resource_link", undefined],
    ["image", "promptCapabilities.image"],
    ["audio", "promptCapabilities.audio"],
    ["resource", "promptCapabilities.embeddedContext"],
  ] as const)("a prompt block of type %s needs %s", (type, needed) => {
    expect(promptBlockLacks({ type }, {})).toBe(needed);
    if (needed !== undefined) expect(promptBlockLacks({ type }, at(needed, true))).toBeUndefined();
  });

  test("MCP servers over http and sse do, stdio servers do not", () => {
    expect(mcpServerKind({ name: "s" })).toBe("stdio");
    expect(mcpServerKind({ type: "pigeon" })).toBe("unknown");
    expect(mcpServerLacks({ name: "s" }, {})).toBeUndefined();
    expect(mcpServerLacks({ type: "http" }, {})).toBe("mcpCapabilities.http");
    expect(mcpServerLacks({ type: "sse" }, { mcpCapabilities: { http: true } })).toBe(
      "mcpCapabilities.sse",
    );
    expect(mcpServerLacks({ type: "sse" }, { mcpCapabilities: { sse: true } })).toBeUndefined();
  });
});

describe("typed capabilities", () => {
  test("of an agent hold only exact paths", () => {
    const raw = {
      loadSession: true,
      promptCapabilities: { image: true, audio: "yes" },
      sessionCapabilities: { list: {}, resume: null, close: true, fork: {} },
      auth: { logout: {} },
      tools: { plan: true },
    };
    expect(readAgentCapabilities(raw)).toEqual({
      loadSession: true,
      promptCapabilities: { image: true, audio: false, embeddedContext: false },
      mcpCapabilities: { http: false, sse: false },
      sessionCapabilities: { list: {} },
      auth: { logout: {} },
    });
    expect(readAgentCapabilities(undefined).loadSession).toBe(false);
  });

  test("of a client hold only exact paths", () => {
    const raw = {
      fs: { readTextFile: true },
      elicitation: { form: {}, url: null },
      session: { configOptions: { boolean: {} }, notices: {} },
    };
    expect(readClientCapabilities(raw)).toEqual({
      fs: { readTextFile: true, writeTextFile: false },
      terminal: false,
      auth: { terminal: false },
      elicitation: { form: {} },
      session: { configOptions: { boolean: {} }, notices: {} },
    });
  });
});

const agent = {
  loadSession: true,
  mcpCapabilities: { http: true, acp: true },
  sessionCapabilities: {
    list: {},
    fork: {},
    archive: {},
    status: {},
    title: {},
    systemPrompt: { mode: { override: {} } },
  },
  auth: { logout: {}, status: {} },
  providers: {},
};

test("without the switch, nothing unstable is usable", () => {
  expect(usableCapabilities(agent, false)).toEqual({
    loadSession: true,
    mcpCapabilities: { http: true },
    sessionCapabilities: { list: {}, fork: {} },
    auth: { logout: {} },
  });
  expect(usableCapabilities({ terminal: true, plan: {}, subagents: {} }, false)).toEqual({
    terminal: true,
  });
});

test("with the switch, or without unstable capabilities, the value stays as it is", () => {
  expect(usableCapabilities(agent, true)).toBe(agent);
  const stable = { loadSession: true, auth: { logout: {} } };
  expect(usableCapabilities(stable, false)).toBe(stable);
  expect(usableCapabilities("odd", false)).toBe("odd");
});

test("the typed form has the unstable capabilities at the paths of the schema", () => {
  expect(withUnstableAgentCapabilities(readAgentCapabilities(agent), agent)).toMatchObject({
    ...agent,
    mcpCapabilities: { http: true, sse: false, acp: true },
  });
  const none = withUnstableAgentCapabilities(readAgentCapabilities({}), { providers: null });
  expect(none.providers).toBeUndefined();
  expect(none.sessionCapabilities).toEqual({});
  const client = { plan: {}, subagents: null };
  const typed = withUnstableClientCapabilities(readClientCapabilities(client), client);
  expect(typed.plan).toEqual({});
  expect(typed.subagents).toBeUndefined();
});

test("every unstable method of an agent needs an unstable capability, except session/fork", () => {
  const { forkSession, authStatusUpdate, mcpMessage, initializeProxy, proxySuccessor, ...others } =
    UNSTABLE_METHODS;
  for (const method of Object.values(others)) {
    expect(isUnstableCapability(agentCapabilityFor(method) ?? ""), method).toBe(true);
  }
  expect(isUnstableCapability(agentCapabilityFor(forkSession) ?? "")).toBe(false);
  for (const method of [authStatusUpdate, mcpMessage, initializeProxy, proxySuccessor]) {
    expect(agentCapabilityFor(method), method).toBeUndefined();
  }
});

test.each([
  [acp.isStopReason, acp.STOP_REASONS],
  [acp.isToolKind, acp.TOOL_KINDS],
  [acp.isToolCallStatus, acp.TOOL_CALL_STATUSES],
  [acp.isPermissionOptionKind, acp.PERMISSION_OPTION_KINDS],
  [acp.isPlanPriority, acp.PLAN_PRIORITIES],
  [acp.isPlanStatus, acp.PLAN_STATUSES],
] as const)("a guard accepts exactly the words of its list (%#)", (guard, words) => {
  for (const word of words) expect(guard(word)).toBe(true);
  for (const other of ["", "constructor", "END_TURN", "error", 1, null, undefined, [], {}]) {
    expect(guard(other)).toBe(false);
  }
});
