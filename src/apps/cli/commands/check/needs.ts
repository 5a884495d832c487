import type { Provocation } from "../../../../conformance/index.ts";

/** The preparation that each kind of requirement needs, for people. */
export const NEEDS: Readonly<Record<Provocation, string>> = {
  none: "no prompt",
  prompt: "a prompt",
  model: "a model",
  turn: "a turn",
  cancel: "a driver: cancel",
  load: "a driver: load",
  decision: "a driver: allow, deny",
  person: "a person",
  passive: "any traffic",
};
