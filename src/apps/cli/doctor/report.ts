import { CliError, failureLine } from "../shell/exit.ts";
import { eventLine } from "../render/json/events.ts";
import { sanitiseLine } from "../render/terminal/sanitise.ts";
import type { Context } from "../context/context.ts";

/** The outcome of one check. */
export interface DoctorStep {
  readonly step: string;
  readonly ok: boolean;
  readonly detail: string;
  readonly ms: number;
  /** How to improve something that works but could be better. */
  readonly advice?: string;
  /** The paths that were searched without success. */
  readonly tried?: readonly string[];
}

/** Reports the result and duration of each step: a line for people, an event for programs. */
export class Report {
  readonly #context: Context;

  constructor(context: Context) {
    this.#context = context;
  }

  /** Runs one step and reports it. Throws what the step throws. */
  async run<T>(step: string, work: () => Promise<{ value: T; detail: string }>): Promise<T> {
    const { io, screen } = this.#context;
    const startedAt = io.now();
    screen.status(step);
    try {
      const { value, detail } = await work();
      this.print({ step, ok: true, detail, ms: io.now() - startedAt });
      return value;
    } catch (error) {
      // The hint follows in the last line.
      const detail =
        error instanceof CliError
          ? failureLine({ ...error.details, hint: undefined })
          : String(error);
      this.print({ step, ok: false, detail, ms: io.now() - startedAt });
      throw error;
    }
  }

  print(step: DoctorStep): void {
    const { screen, mode } = this.#context;
    if (mode === "events") screen.json(eventLine("doctor", step));
    if (!this.#isForPeople) return;
    const mark = step.ok ? (step.advice === undefined ? "ok  " : "warn") : "FAIL";
    const time = `${(step.ms / 1000).toFixed(2)} s`;
    const line = `${mark} ${sanitiseLine(step.step).padEnd(10)} ${time.padStart(7)}  `;
    screen.answer(`${line}${sanitiseLine(step.detail)}\n`);
    const below = [...(step.tried ?? []).map((path) => `tried ${path}`), step.advice ?? ""];
    for (const text of below) {
      if (text !== "") screen.answer(`${" ".repeat(line.length)}${sanitiseLine(text)}\n`);
    }
  }

  /** Prints the verdict. Programs read it from the exit code instead. */
  conclude(text: string): void {
    if (this.#isForPeople) this.#context.screen.answer(`${sanitiseLine(text)}\n`);
  }

  get #isForPeople(): boolean {
    return this.#context.mode === "text" || this.#context.mode === "simple";
  }
}
