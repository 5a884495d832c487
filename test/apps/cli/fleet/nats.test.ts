import { describe, expect, it } from "vitest";
import { fleetFailure } from "../../../../src/apps/cli/fleet/nats.ts";
import type { ErrorCode } from "../../../../src/base/index.ts";
import { FleetError } from "../../../../src/host/fleet/index.ts";

describe("a failure of a fleet", () => {
  it.each<[ErrorCode, number]>([
    ["not_installed", 2],
    ["invalid_argument", 2],
    ["connect_failed", 1],
    ["unavailable", 1],
    ["not_allowed", 1],
  ])("%s has the exit code %i and its own message", (code, exit) => {
    const message = "npm install what is missing";
    expect(fleetFailure(new FleetError(code, message))).toMatchObject({ code: exit, message });
  });

  it("that is not one of a fleet stays as it is", () => {
    const error = new Error("other");
    expect(fleetFailure(error)).toBe(error);
  });
});
