import { describe, expect, it } from "vitest";
import { loadNatsPackages } from "../../../src/fleet/nats/packages.ts";

describe("the packages of NATS", () => {
  it("are named, with the command that installs them, if one is missing", async () => {
    const missing = Object.assign(new Error("Cannot find package"), {
      code: "ERR_MODULE_NOT_FOUND",
    });
    const loaded = loadNatsPackages(() => Promise.reject(missing));
    await expect(loaded).rejects.toMatchObject({
      code: "missing_package",
      message: expect.stringContaining("npm install @nats-io/transport-node@3"),
    });
  });

  it("may fail in other ways", async () => {
    const loaded = loadNatsPackages(() => Promise.reject(new Error("broken")));
    await expect(loaded).rejects.toThrow("broken");
  });
});
