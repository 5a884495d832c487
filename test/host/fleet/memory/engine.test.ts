import { describe } from "vitest";
import { type EngineLimits, memoryFleet } from "../../../../src/host/fleet/index.ts";
import {
  type ConnectFleet,
  engineContract,
  LONG_LIMITS,
  SHORT_LIMITS,
  timeContract,
} from "../contract.ts";

describe("a fleet in memory", () => {
  const fleets =
    (limits: Partial<EngineLimits>): ConnectFleet =>
    async () => {
      const fleet = memoryFleet({ limits });
      return async () => fleet.connect();
    };
  engineContract(fleets(LONG_LIMITS));
  timeContract(fleets(SHORT_LIMITS));
});
