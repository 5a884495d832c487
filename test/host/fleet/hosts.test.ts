import { describe, expect, it } from "vitest";
import { chooseHost, type FleetHost } from "../../../src/host/fleet/index.ts";
import { hostReport as host } from "./rig.ts";

const fresh = {
  pool: "p",
  agent: "a",
  cwd: "/repo/src",
  host: undefined,
  volume: undefined,
  agentSessionId: undefined,
};

describe("the host for a session", () => {
  it.each<[string, Partial<FleetHost>]>([
    ["is full", { sessions: 10 }],
    ["is draining", { isDraining: true }],
    ["is in another pool", { pool: "q" }],
    ["does not have the agent", { agents: ["b"] }],
    ["does not have the root", { roots: ["other"] }],
  ])("is not one that %s", (_, more) => {
    expect(chooseHost([host("x", more)], fresh)).toBeUndefined();
    expect(
      chooseHost([host("x", more), host("y", { roots: ["repo"] })], fresh, () => 0)?.host,
    ).toBe("y");
  });

  it("is the less loaded of two", () => {
    const hosts = [host("x", { sessions: 9 }), host("y", { sessions: 1 })];
    const numbers = [0, 0.9];
    expect(chooseHost(hosts, fresh, () => numbers.shift() ?? 0)?.host).toBe("y");
  });

  it("is its own while it lives, and then another with the same volume", () => {
    const session = { ...fresh, host: "x", volume: "disk", agentSessionId: "1" };
    const [x, y, z] = [
      host("x", { volume: "disk", sessions: 9 }),
      host("y", { volume: "disk" }),
      host("z"),
    ];
    expect(chooseHost([z, y, x], session)?.host).toBe("x");
    expect(chooseHost([z, y], session)?.host).toBe("y");
    expect(chooseHost([z], session)).toBeUndefined();
  });
});
