import type { SessionModel } from "../../trace/index.ts";
import type { CheckedSide, Level } from "../requirement.ts";
import type { Connection, JudgedFrame } from "./connection.ts";

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
  /** The level of the broken part, if it is lower than that of the requirement. */
  readonly level?: Level | undefined;
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
      readonly level?: Level | undefined;
    },
  ): void;
}

/** What a rule may look at: the state of the connection, and the session that its frames add up to. */
export interface RuleContext {
  readonly connection: Connection;
  readonly model: SessionModel;
  /** The name of the connection in the model. */
  readonly lane: string;
}

/** One or several requirements that are judged by watching a connection. */
export interface Rule {
  readonly ids: readonly string[];
  readonly side: CheckedSide;
  /** Makes a judge for one connection. It sees each frame after the context has it. */
  readonly watch: (context: RuleContext) => (frame: JudgedFrame, report: RuleReport) => void;
  /** Judges what only the end of the connection shows. */
  readonly finish?: (context: RuleContext, report: RuleReport) => void;
}
