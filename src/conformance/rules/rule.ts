import { asObject, type JsonObject, stringField } from "../../base/index.ts";
import { paramsOf, type SessionModel, updateOf } from "../../trace/index.ts";
import type { CheckedSide, Level } from "../requirement.ts";
import type { Connection, JudgedFrame } from "./connection.ts";

/** A broken rule, with the frames that show it. */
export interface Violation {
  /** The id of the requirement. */
  readonly id: string;
  /** The side that broke it. */
  readonly side: CheckedSide;
  readonly actual: string;
  /** The positions of the deciding frames. */
  readonly frames: readonly number[];
  /** The level of the broken part, if it is lower than that of the requirement. */
  readonly level?: Level | undefined;
}

/**
 * Takes the verdict of a rule about one frame: the problem, or nothing if the frame keeps the rule. The
 * deciding frames are the current one by default.
 */
export type Judge = (
  id: string,
  problem: string | false | undefined,
  frames?: readonly number[],
  level?: Level,
) => void;

/** What a rule may look at: the state of the connection, and the session that its frames add up to. */
export interface RuleContext {
  readonly connection: Connection;
  readonly model: SessionModel;
  /** The name of the connection in the model. */
  readonly lane: string;
}

/** Makes a watcher for one connection. It sees each frame after the context has it. */
type Watch = (context: RuleContext) => (frame: JudgedFrame, judge: Judge) => void;

/** One or several requirements that are judged by watching a connection. */
export interface Rule {
  readonly side: CheckedSide;
  readonly ids: readonly string[];
  readonly watch: Watch;
  /** Judges what only the end of the connection shows. */
  readonly finish?: (context: RuleContext, judge: Judge) => void;
}

/* @__NO_SIDE_EFFECTS__ */
export function rule(side: CheckedSide, ids: readonly string[], watch: Watch): Rule {
  return { side, ids, watch };
}

/** An update of a session. */
export interface SeenUpdate {
  readonly sessionId: unknown;
  /** Empty if the update has none. */
  readonly kind: string;
  readonly update: JsonObject;
}

/** The update that a frame of the agent carries; undefined if it carries none. */
export function updateIn({ from, message }: JudgedFrame): SeenUpdate | undefined {
  if (from !== "agent" || message.kind !== "notification") return undefined;
  const update = updateOf(message);
  if (!update) return undefined;
  const { sessionId } = paramsOf(message);
  return { sessionId, kind: stringField(update, "sessionUpdate") ?? "", update };
}

/** The params of a request of the agent with this method; undefined for other frames. */
export function requestParamsIn(
  method: string,
  { from, message }: JudgedFrame,
): JsonObject | undefined {
  if (from !== "agent" || message.kind !== "request" || message.method !== method) return undefined;
  return asObject(message.params);
}

/** A value as JSON, cut for a report. */
export function shortJson(value: unknown): string {
  const text = JSON.stringify(value) ?? "undefined";
  return text.length > 160 ? `${text.slice(0, 160)}…` : text;
}
