import type { StartOutput } from "./start-output.ts";

/** A page starts no programs, so nothing but messages arrives. */
export const startOutput = (): StartOutput => ({
  text: "",
  failure: undefined,
  add: () => {},
  end: () => {},
});
