import type { PlanEntry } from "../../../../protocol/acp/index.ts";
import { sanitiseLine } from "../terminal/sanitise.ts";

const MARKS: Readonly<Record<string, string>> = {
  pending: "·",
  in_progress: "→",
  completed: "✓",
};

/** Follows a plan and reports what is new: the whole plan once, then only its progress. */
export class PlanProgress {
  #steps = "";
  #progress = "";

  /** The lines to print, the first without its tag; none if nothing changed. */
  take(entries: readonly PlanEntry[]): readonly string[] {
    if (entries.length === 0) return [];
    const steps = entries.map(({ content }) => content).join("\n");
    const progress = entries.map(({ status }) => status).join("\n");
    const known = steps === this.#steps;
    if (known && progress === this.#progress) return [];
    this.#steps = steps;
    this.#progress = progress;
    const done = entries.filter(({ status }) => status === "completed").length;
    const count = `${done}/${entries.length} done`;
    if (!known) return [count, ...entries.map(lineOf)];
    const running = entries.find(({ status }) => status === "in_progress");
    return [running === undefined ? count : `${count}${lineOf(running).slice(1)}`];
  }
}

function lineOf({ content, status }: PlanEntry): string {
  return `  ${MARKS[status] ?? "·"} ${sanitiseLine(content)}`;
}
