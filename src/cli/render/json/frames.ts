import { decodeLine, type TapEvent } from "../../../wire/index.ts";
import type { SelectedAgent } from "../../agents/select.ts";
import { refusalLine } from "../renderer.ts";
import type { PermissionFacts, Renderer } from "../renderer.ts";
import type { Screen } from "../terminal/screen.ts";

/** The line before the first frame. Arguments and environment stay out of it: they may hold secrets. */
function selectedAgentLine({ name, command }: Pick<SelectedAgent, "name" | "command">): string {
  return JSON.stringify({
    jsonrpc: "2.0",
    method: "client/selected_agent",
    params: { name, command },
  });
}

/**
 * For tools: the raw frames both ways, byte for byte, and nothing else. What an agent prints that is
 * no frame is no part of the protocol and stays out.
 */
export class FramesRenderer implements Renderer {
  readonly #screen: Screen;
  readonly #story: (text: string) => void;
  #selected = false;

  /** `story` tells what has to be told beside the frames. */
  constructor(screen: Screen, story: (text: string) => void) {
    this.#screen = screen;
    this.#story = story;
  }

  /** Once, however often the agent is started. */
  selected(agent: SelectedAgent): void {
    if (this.#selected) return;
    this.#selected = true;
    this.#screen.answer(`${selectedAgentLine(agent)}\n`);
  }

  frame({ line }: TapEvent): void {
    const decoded = decodeLine(line);
    if (decoded.kind === "noise") return;
    // A frame may be glued to a stray prefix; the prefix is none of it.
    const frame = decoded.kind === "frame" ? line.slice(decoded.skipped.length) : line;
    this.#screen.answer(`${frame}\n`);
  }

  agent(): void {}
  session(): void {}
  caps(): void {}
  modes(): void {}
  commands(): void {}

  update(): Promise<void> {
    return Promise.resolve();
  }

  permission(facts: PermissionFacts): void {
    if (facts.outcome !== "allowed" && facts.by !== "user") this.#story(refusalLine(facts));
  }

  note(text: string): void {
    this.#story(text);
  }

  result(): void {
    this.#screen.finish();
  }
}
