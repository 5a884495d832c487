import type { Provocation } from "../../conformance/index.ts";

/** What a requirement needs before it can be judged, in words. */
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
