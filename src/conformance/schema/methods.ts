import { asObject, type JsonObject, stringField } from "../../base/index.ts";
import type { CheckedSide } from "../requirement.ts";
import { V1_METHODS, V2_METHODS } from "./tables/methods.ts";

/** One method: who sends it, and the names of the definitions of its params and result. */
export interface MethodEntry {
  readonly from: CheckedSide | "both";
  readonly params: string;
  /** Undefined for a notification. */
  readonly result: string | undefined;
}

/** A method that is a request in one direction, and a notification in both. */
export const MCP_NOTIFICATION = { method: "mcp/message", params: "MessageMcpNotification" };

const tables = new Map<1 | 2, ReadonlyMap<string, MethodEntry>>();

/** Every method of a version, those of its unstable schema included. */
export function methodsOf(protocol: 1 | 2): ReadonlyMap<string, MethodEntry> {
  const known = tables.get(protocol);
  if (known) return known;
  const rows = asObject(JSON.parse(protocol === 1 ? V1_METHODS : V2_METHODS));
  const made = new Map(Object.entries(rows).map(([name, row]) => [name, entryOf(asObject(row))]));
  tables.set(protocol, made);
  return made;
}

function entryOf(row: JsonObject): MethodEntry {
  const from = (["agent", "client", "both"] as const).find((side) => side === row["from"]);
  const params = stringField(row, "params");
  if (from === undefined || params === undefined)
    throw new Error("a method has no sender or params");
  return { from, params, result: stringField(row, "result") };
}
