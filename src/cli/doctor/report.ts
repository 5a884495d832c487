import { CliError, failureLine } from "../exit.ts";
import { eventLine } from "../render/json/events.ts";
import { sanitiseLine } from "../render/terminal/sanitise.ts";
import type { Context } from "../run/context.ts";

/** One thing that was looked at. */
export interface DoctorStep {
  readonly step: string;
  readonly ok: boolean;
  readonly detail: string;
  readonly ms: number;
  /** What to do about something that works but could be better. */
  readonly advice?: string;
  /** Each place that was looked at in vain. */
  readonly tried?: readonly string[];
}

/** Tells how each step went and how long it took: a line for people, an event for programs. */
export class Report {
  readonly #context: Context;

  constructor(context: Context) {
    this.#context = context;
  }

  /** Does one step, and tells of it. */
  async run<T>(step: string, work: () => Promise<{ value: T; detail: string }>): Promise<T> {
    const { io, screen } = this.#context;
    const startedAt = io.now();
    screen.status(step);
    try {
      const { value, detail } = await work();
      this.tell({ step, ok: true, detail, ms: io.now() - startedAt });
      return value;
    } catch (error) {
      // What to try comes with the last line.
      const detail =
        error instanceof CliError
          ? failureLine({ ...error.details, hint: undefined })
          : String(error);
      this.tell({ step, ok: false, detail, ms: io.now() - startedAt });
      throw error;
    }
  }

  tell(step: DoctorStep): void {
    const { screen, mode } = this.#context;
    if (mode === "events") screen.answer(eventLine("doctor", step));
    if (!this.#isForPeople) return;
    const mark = step.ok ? (step.advice === undefined ? "ok  " : "warn") : "FAIL";
    const time = `${(step.ms / 1000).toFixed(2)} s`;
    const line = `${mark} ${step.step.padEnd(10)} ${time.padStart(7)}  `;
    screen.answer(`${line}${sanitiseLine(step.detail)}\n`);
    const below = [...(step.tried ?? []).map((place) => `tried ${place}`), step.advice ?? ""];
    for (const text of below) {
      if (text !== "") screen.answer(`${" ".repeat(line.length)}${sanitiseLine(text)}\n`);
    }
  }

  /** The verdict, which programs have in the exit code. */
  conclude(text: string): void {
    if (this.#isForPeople) this.#context.screen.answer(`${text}\n`);
  }

  get #isForPeople(): boolean {
    return this.#context.mode === "text" || this.#context.mode === "simple";
  }
}
