import { FleetError } from "./errors.ts";

/** The error for a reference whose value is not stored anymore. */
export function missingValue(reference: string): FleetError {
  return new FleetError("missing_value", `the value ${reference} is not stored anymore`);
}
