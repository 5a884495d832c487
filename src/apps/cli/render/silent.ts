import type { Update } from "../../../protocol/acp/index.ts";
import {
  refusalLine,
  type AgentFacts,
  type CapsFacts,
  type CommandsFacts,
  type ModelsFacts,
  type ModesFacts,
  type OptionsFacts,
  type PermissionFacts,
  type Renderer,
  type ResultFacts,
  type SessionFacts,
} from "./renderer.ts";

/** Shows only what the user must see in every output mode: notes and denied permissions. */
export class SilentRenderer implements Renderer {
  readonly #story: (text: string) => void;

  /** `story` prints a line to stderr. */
  constructor(story: (text: string) => void) {
    this.#story = story;
  }

  agent(_facts: AgentFacts): void {}
  session(_facts: SessionFacts): void {}
  caps(_facts: CapsFacts): void {}
  modes(_facts: ModesFacts): void {}
  models(_facts: ModelsFacts): void {}
  options(_facts: OptionsFacts): void {}
  commands(_facts: CommandsFacts): void {}

  update(_update: Update): Promise<void> {
    return Promise.resolve();
  }

  permission(facts: PermissionFacts): void {
    if (facts.outcome !== "allowed" && facts.by !== "user") this.#story(refusalLine(facts));
  }

  note(text: string): void {
    this.#story(text);
  }

  result(_facts: ResultFacts): void {}
}
