import { describe } from "vitest";
import { memoryFleet } from "../../../src/fleet/index.ts";
import { engineContract, SHORT_LIMITS } from "../contract.ts";

describe("a fleet in memory", () => {
  engineContract(async () => {
    const fleet = memoryFleet({ limits: SHORT_LIMITS });
    return async () => fleet.connect();
  });
});
