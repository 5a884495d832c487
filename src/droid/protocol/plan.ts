import { isJsonObject, type JsonObject, stringField } from "../../base/index.ts";

/** The status of an entry. The model may write other values. */
export type DroidPlanStatus = "pending" | "in_progress" | "completed" | (string & {});

/** One entry of the to-do list. */
export interface DroidPlanEntry {
  readonly text: string;
  /** How far the work on the entry is. */
  readonly status: DroidPlanStatus;
  /** The priority, if the model wrote one. */
  readonly priority: string | undefined;
}

/** The tool that writes the to-do list. */
export const PLAN_TOOL = "TodoWrite";

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
