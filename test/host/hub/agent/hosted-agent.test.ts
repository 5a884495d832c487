import { expect, test } from "vitest";
import {
  hostedAgentProtocol,
  missingCapabilities,
  Restarts,
} from "../../../../src/host/hub/agent/hosted-agent.ts";
import { hubLimits } from "../../../../src/host/hub/hub.ts";

test("waits longer after each failure, gives up, and forgets failures with time", () => {
  let now = 0;
  const restarts = new Restarts(hubLimits({ maxBackoffMs: 3000 }), () => now);
  const waits: (number | undefined)[] = [restarts.wait];
  for (let count = 0; count < 5; count++) {
    restarts.failed();
    waits.push(restarts.wait);
  }
  expect(waits).toEqual([0, 1000, 2000, 3000, 3000, undefined]);
  now += 5 * 60_000;
  expect(restarts.wait).toBe(0);
});

test("counts the time since the failure", () => {
  let now = 0;
  const restarts = new Restarts(hubLimits(undefined), () => now);
  restarts.failed();
  now = 400;
  expect(restarts.wait).toBe(600);
});

test("lists the capabilities that are gone", () => {
  const before = { loadSession: true, a: { b: {}, c: true, d: false }, _meta: { x: 1 }, n: null };
  expect(missingCapabilities(before, before)).toEqual([]);
  expect(missingCapabilities(before, { loadSession: true, more: true, a: { c: false } })).toEqual([
    "a.b",
    "a.c",
  ]);
});

test.each([
  [1, { agentCapabilities: { a: 1 } }],
  [2, { capabilities: { a: 1 } }],
])("reads what an agent of version %i announces", (version, result) => {
  const announced = { version, capabilities: { a: 1 } };
  expect(hostedAgentProtocol({ protocolVersion: version, ...result })).toEqual(announced);
});
