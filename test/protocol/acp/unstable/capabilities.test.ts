import { expect, test } from "vitest";
import {
  agentCapabilityFor,
  isUnstableCapability,
  readAgentCapabilities,
  readClientCapabilities,
  UNSTABLE_METHODS,
  usableCapabilities,
  withUnstableAgentCapabilities,
  withUnstableClientCapabilities,
} from "../../../../src/protocol/acp/index.ts";

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
    loadSession: true,
    mcpCapabilities: { http: true, sse: false, acp: true },
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
