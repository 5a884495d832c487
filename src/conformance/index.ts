/** The rules of ACP as data, and judges of recorded frames. Runs in Node and browsers. */
export type { CheckedSide, Level, Provocation, Requirement } from "./requirement.ts";
