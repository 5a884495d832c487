import { expect, it } from "vitest";
import { clientRig, violations } from "./rig.ts";

const rig = clientRig();
const LIMIT_MS = 180_000;

it(
  "a client that keeps every rule passes every requirement of version 1",
  async () => {
    const report = await rig.check("none");
    expect(violations(report)).toEqual([]);
    const others = report.results.filter(({ status }) => status !== "passed");
    expect(others.map(({ id, reason }) => `${id}: ${reason}`)).toEqual([]);
    expect(report.subject).toMatchObject({
      side: "client",
      name: "check-client",
      version: "1.0.0",
    });
    for (const { evidence } of report.results) expect(evidence).not.toBe("");
  },
  LIMIT_MS,
);

it(
  "and of version 2",
  async () => {
    const report = await rig.check("none", { protocol: 2 });
    expect(report.results.filter(({ status }) => status !== "passed")).toEqual([]);
  },
  LIMIT_MS,
);
