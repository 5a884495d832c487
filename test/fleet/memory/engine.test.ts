import { describe } from "vitest";
import { memoryFleet } from "../../../src/fleet/index.ts";
import { type ConnectFleet, engineContract, SHORT_LIMITS, timeContract } from "../contract.ts";

describe("a fleet in memory", () => {
  const newFleet: ConnectFleet = async () => {
    const fleet = memoryFleet({ limits: SHORT_LIMITS });
    return async () => fleet.connect();
  };
  engineContract(newFleet);
  timeContract(newFleet);
});
