import type { Update } from "../../../../protocol/acp/index.ts";
import { sanitise } from "../../render/terminal/sanitise.ts";
import { Transcript, PLAIN } from "../../render/text/transcript.ts";

const KEPT_CHARS = 32 * 1024;
const SHOWN_LINES = 20;

/** Keeps the end of a conversation that an agent replays, however long it is. */
export class Recap {
  #text = "";
  #isCut = false;
  readonly #transcript = new Transcript(PLAIN, (text) => {
    this.#isCut ||= this.#text.length + text.length > KEPT_CHARS;
    this.#text = (this.#text + text).slice(-KEPT_CHARS);
  });

  add(update: Update): void {
    this.#transcript.add(update);
  }

  /** The last lines of the conversation, safe to print; empty if nothing was replayed. */
  lines(): readonly string[] {
    if (this.#text === "") return [];
    const lines = sanitise(this.#text).trimEnd().split("\n");
    const shown = lines.slice(-SHOWN_LINES);
    return this.#isCut || shown.length < lines.length ? ["…", ...shown] : shown;
  }
}
