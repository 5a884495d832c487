import { expect, test } from "vitest";
import { announcedIn, missingCapabilities } from "../../../../src/host/hub/agent/hosted-agent.ts";

test("lists the capabilities that are gone", () => {
  const before = { loadSession: true, a: { b: {}, c: true, d: false }, _meta: { x: 1 }, n: null };
  expect(missingCapabilities(before, before)).toEqual([]);
  expect(missingCapabilities(before, { loadSession: true, more: true, a: { c: false } })).toEqual([
    "a.b",
    "a.c",
  ]);
});

test("reads both versions of the protocol", () => {
  expect(announcedIn({ protocolVersion: 1, agentCapabilities: { a: 1 } })).toEqual({
    version: 1,
    capabilities: { a: 1 },
  });
  expect(announcedIn({ protocolVersion: 2, capabilities: { b: 1 } })).toEqual({
    version: 2,
    capabilities: { b: 1 },
  });
});
