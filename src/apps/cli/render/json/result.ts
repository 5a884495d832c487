import type { ResultFacts } from "../renderer.ts";
import { SilentRenderer } from "../silent.ts";
import type { Screen } from "../terminal/screen.ts";
import { resultLine } from "./events.ts";

/** For scripts: one JSON object at the end, the `result` event, and nothing else. */
export class ResultRenderer extends SilentRenderer {
  readonly #screen: Screen;

  /** `story` prints to stderr what the user must see besides the result. */
  constructor(screen: Screen, story: (text: string) => void) {
    super(story);
    this.#screen = screen;
  }

  override result(facts: ResultFacts): void {
    this.#screen.json(resultLine(facts));
  }
}
