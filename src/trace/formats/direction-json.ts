import { stringField } from "../../base/index.ts";
import { lossOf, type SessionLine } from "./imported.ts";
import type { LineFormat } from "./line-format.ts";

const FROM_CLIENT = /^(?:from[-_ ]?client|client|c2a|c\s*->\s*a|client\s*->\s*agent)$/i;
const FROM_AGENT = /^(?:from[-_ ]?agent|agent|a2c|a\s*->\s*c|agent\s*->\s*client)$/i;

/** The logs of venikman's inspector: a time, a direction in one of many spellings, and the line. */
export const directionJsonFormat: LineFormat = {
  matches: (first) =>
    typeof first["ts"] === "string" &&
    typeof first["direction"] === "string" &&
    typeof first["json"] === "string",
  open: (first) => {
    const startedAt = stringField(first, "ts") ?? "";
    const zero = Date.parse(startedAt);
    return {
      header: { format: "direction-json", startedAt, isTimed: !Number.isNaN(zero) },
      read: (value): SessionLine | "unreadable" => {
        const line = stringField(value, "json");
        const direction = directionOf(stringField(value, "direction") ?? "");
        if (line === undefined || direction === undefined) return "unreadable";
        const ms = Date.parse(stringField(value, "ts") ?? "") - zero;
        return { ms: Number.isNaN(ms) ? 0 : ms, direction, line };
      },
      losses: () => [
        ...(Number.isNaN(zero) ? [lossOf("times")] : []),
        lossOf("stderr"),
        lossOf("decisions"),
      ],
    };
  },
};

function directionOf(text: string): SessionLine["direction"] | undefined {
  if (FROM_CLIENT.test(text)) return "out";
  return FROM_AGENT.test(text) ? "in" : undefined;
}
