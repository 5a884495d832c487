import type { CheckedSide } from "../requirement.ts";
import type { Connection } from "./connection.ts";
import type { ReadFrame } from "./message.ts";

/** A broken rule, with the frames that show it. */
export interface Violation {
  /** The id of the requirement. */
  readonly id: string;
  /** The side that broke it. */
  readonly side: CheckedSide;
  readonly expected: string;
  readonly actual: string;
  /** The positions of the deciding frames. */
  readonly frames: readonly number[];
}

/** Takes the verdicts of a rule about one frame. */
export interface RuleReport {
  /** The frame was judged and keeps the rule. */
  kept(id: string): void;
  broken(
    id: string,
    violation: {
      readonly expected: string;
      readonly actual: string;
      /** Default: the current frame. */
      readonly frames?: readonly number[] | undefined;
    },
  ): void;
}

/** One or several requirements that are judged by watching a connection. */
export interface Rule {
  readonly ids: readonly string[];
  readonly side: CheckedSide;
  /** Makes a judge for one connection. It sees each frame after the connection's state has it. */
  readonly watch: (connection: Connection) => (frame: ReadFrame, report: RuleReport) => void;
}
