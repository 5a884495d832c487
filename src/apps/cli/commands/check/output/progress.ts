import { counted } from "../../../../../base/index.ts";
import { byArea, type CheckResult, type ShownAs } from "../../../../../conformance/check/index.ts";
import type { Requirement } from "../../../../../conformance/index.ts";
import type { Screen } from "../../../render/terminal/screen.ts";
import { areaText, type CheckView } from "./terminal.ts";

/** The parts of progress that do not change during a run. */
export interface ProgressOptions {
  /** The chosen requirements, in the order of the report. */
  readonly requirements: readonly Pick<Requirement, "id" | "area">[];
  readonly shown: (result: CheckResult) => ShownAs;
  readonly view: CheckView;
}

/**
 * Prints the results area by area while a run goes on. An area is printed once it is complete and all
 * areas before it are, so the order does not depend on which case ends first.
 */
export class Progress {
  readonly #screen: Pick<Screen, "answer" | "status">;
  readonly #options: ProgressOptions;
  readonly #results = new Map<string, CheckResult>();
  readonly #areas: readonly { readonly area: string; readonly ids: readonly string[] }[];
  #printed = 0;
  #failed = 0;

  constructor(screen: Pick<Screen, "answer" | "status">, options: ProgressOptions) {
    this.#screen = screen;
    this.#options = options;
    const names = [...new Set(options.requirements.map(({ area }) => area))];
    this.#areas = names.map((area) => ({
      area,
      ids: options.requirements.filter((one) => one.area === area).map(({ id }) => id),
    }));
    this.#status();
  }

  /** Adds a final result. Results of requirements that were not chosen are left out. */
  add(result: CheckResult): void {
    if (!this.#areas.some(({ ids }) => ids.includes(result.id))) return;
    if (!this.#results.has(result.id) && this.#options.shown(result) === "failure") this.#failed++;
    this.#results.set(result.id, result);
    this.#status();
    while (this.#isComplete(this.#printed)) this.#print(this.#printed++);
  }

  /** Adds the results of the report that were not added before, and prints the rest. */
  finish(results: readonly CheckResult[]): void {
    for (const result of results) if (!this.#results.has(result.id)) this.add(result);
    while (this.#printed < this.#areas.length) this.#print(this.#printed++);
    this.#screen.status(undefined);
  }

  #isComplete(index: number): boolean {
    return this.#areas[index]?.ids.every((id) => this.#results.has(id)) === true;
  }

  #print(index: number): void {
    const ids = this.#areas[index]?.ids ?? [];
    const results = ids.flatMap((id) => this.#results.get(id) ?? []);
    const { shown, view } = this.#options;
    for (const area of byArea(results)) this.#screen.answer(areaText(area, shown, view));
  }

  #status(): void {
    const total = this.#options.requirements.length;
    const failed = this.#failed === 0 ? "" : `, ${counted(this.#failed, "failure")}`;
    this.#screen.status(`checked ${this.#results.size} of ${total} requirements${failed}`);
  }
}
