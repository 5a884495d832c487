import { isJsonObject, numberField, stringField, type JsonObject } from "../../base/index.ts";
import { lossOf, type SessionEntry } from "./imported.ts";
import type { LineFormat } from "./line-format.ts";

/**
 * Our own captures of agents: `{ t, dir, msg }`, or `{ dir, frame }` without times. Some end with the agent's
 * stderr as a whole, and with its exit.
 */
export const agentFramesFormat: LineFormat = {
  matches: (first) => directionOf(first) !== undefined && messageOf(first) !== undefined,
  open: (first) => {
    const isTimed = numberField(first, "t") !== undefined;
    let hasEvents = false;
    return {
      header: { format: "agent-frames", isTimed },
      read: (value): SessionEntry | "unreadable" => {
        const ms = numberField(value, "t") ?? 0;
        const text = stringField(value, "text");
        if (value["dir"] === "stderr" && text !== undefined) {
          hasEvents = true;
          return { ms, event: "stderr", text };
        }
        if (value["dir"] === "exit") {
          hasEvents = true;
          const code = numberField(value, "code") ?? null;
          return { ms, event: "exit", code, signal: stringField(value, "signal") ?? null };
        }
        const direction = directionOf(value);
        const line = messageOf(value);
        return direction && line !== undefined ? { ms, direction, line } : "unreadable";
      },
      losses: () => [
        ...(isTimed ? [] : [lossOf("times")]),
        lossOf("raw"),
        ...(hasEvents ? [] : [lossOf("stderr")]),
        lossOf("decisions"),
      ],
    };
  },
};

function directionOf({ dir }: JsonObject): "in" | "out" | undefined {
  if (dir === "c2a") return "out";
  return dir === "a2c" ? "in" : undefined;
}

/** A line that is not JSON was captured as `raw`. */
function messageOf({ msg, frame, raw }: JsonObject): string | undefined {
  const message = msg ?? frame;
  if (isJsonObject(message) || Array.isArray(message)) return JSON.stringify(message);
  if (typeof message === "string") return message;
  return typeof raw === "string" ? raw : undefined;
}
