import { decodeLine } from "../../../../base/index.ts";
import type { TapEvent } from "../../../../transport/wire/index.ts";
import { SilentRenderer } from "../silent.ts";
import type { Screen } from "../terminal/screen.ts";

interface StartedAgent {
  readonly name: string;
  readonly command: string;
}

/** The line before the first frame. It leaves out arguments and environment, which may hold secrets. */
function selectedAgentLine({ name, command }: StartedAgent): string {
  return JSON.stringify({
    jsonrpc: "2.0",
    method: "client/selected_agent",
    params: { name, command },
  });
}

/**
 * For tools: the raw frames both ways, byte for byte unless a terminal shows them, and nothing else.
 * Lines from the agent that are not frames are left out.
 */
export class FramesRenderer extends SilentRenderer {
  readonly #screen: Screen;
  #selected = false;

  /** `story` prints to stderr what the user must see besides the frames. */
  constructor(screen: Screen, story: (text: string) => void) {
    super(story);
    this.#screen = screen;
  }

  /** Writes the line about the agent once, however often the agent is started. */
  selected(agent: StartedAgent): void {
    if (this.#selected) return;
    this.#selected = true;
    this.#screen.json(`${selectedAgentLine(agent)}\n`);
  }

  frame({ line }: TapEvent): void {
    const decoded = decodeLine(line);
    if (decoded.kind === "noise") return;
    // A stray prefix on the same line is not part of the frame.
    const frame = decoded.kind === "frame" ? line.slice(decoded.skipped.length) : line;
    this.#screen.json(`${frame}\n`);
  }

  override result(): void {
    this.#screen.finish();
  }
}
