import type { DroidPlanStatus, DroidPlanEntry } from "./messages.ts";
import { type JsonObject, stringField, isJsonObject } from "../../base/index.ts";

const LINE = /^\s*(?:(?:\d+[.)]|[-*])\s*)?\[([^\]]*)\]\s*(.*)$/;

const MARKS: Readonly<Record<string, DroidPlanStatus>> = {
  "": "pending",
  " ": "pending",
  x: "completed",
  X: "completed",
};

/**
 * Reads the entries of a TodoWrite input, which is either text with lines like
 * `1. [in_progress] write the test` (seen in 0.99 to 0.225) or a list of objects (older models and
 * versions). Returns undefined if it is neither, or if the model is still writing it.
 */
export function readPlan(input: JsonObject): readonly DroidPlanEntry[] | undefined {
  const { todos } = input;
  if (typeof todos === "string") return readLines(todos);
  if (Array.isArray(todos)) return todos.filter(isJsonObject).map(readEntry);
  return undefined;
}

function readLines(todos: string): readonly DroidPlanEntry[] {
  return todos
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => {
      const [, mark, text] = LINE.exec(line) ?? [];
      if (mark === undefined || text === undefined)
        return { text: line.trim(), status: "pending", priority: undefined };
      return { text: text.trim(), status: MARKS[mark] ?? mark, priority: undefined };
    });
}

function readEntry(entry: JsonObject): DroidPlanEntry {
  return {
    text:
      stringField(entry, "content") ??
      stringField(entry, "text") ??
      stringField(entry, "task") ??
      "",
    status: stringField(entry, "status") ?? "pending",
    priority: stringField(entry, "priority"),
  };
}
