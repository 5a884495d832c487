import { describe, expect, it } from "vitest";
import { loadNatsPackages, packageError } from "../../../../src/host/fleet/nats/packages.ts";

describe("the packages of NATS", () => {
  it("are loaded", async () => {
    expect(Object.keys(await loadNatsPackages())).toEqual(["transport", "jetstream", "kv"]);
  });

  it("are named, with the command that installs them, if one is missing", () => {
    const code = "ERR_MODULE_NOT_FOUND";
    expect(packageError(Object.assign(new Error("Cannot find package"), { code }))).toMatchObject({
      code: "not_installed",
      message: expect.stringContaining("npm install @nats-io/transport-node@3"),
    });
  });

  it("may fail in other ways", () => {
    const broken = new Error("broken");
    expect(packageError(broken)).toBe(broken);
  });
});
