import { quietly } from "../../../base/index.ts";
import { closedError } from "../errors.ts";

/** Throws FleetError `closed` if the engine is closed. */
export function checkOpen(closed: AbortSignal): void {
  if (closed.aborted) throw closedError("the engine");
}

/** Does work of an engine, as a promise. Rejects with FleetError `closed` if the engine is closed. */
export function whileOpen<T>(closed: AbortSignal, work: () => T | Promise<T>): Promise<T> {
  return quietly(async () => {
    checkOpen(closed);
    return work();
  });
}
