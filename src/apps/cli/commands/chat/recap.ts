import { sanitizeLine, sanitize } from "../../../../base/index.ts";
import type { Update } from "../../../../protocol/acp/index.ts";
import { Transcript, PLAIN } from "../../render/text/transcript.ts";

/** The last lines of a resumed conversation, or why there are none. */
export function recapLines(recap: Recap, origin: string, agent: string): readonly string[] {
  const lines = recap.lines();
  if (lines.length > 0 || origin !== "resume") return lines;
  return [sanitizeLine(`${agent} continues the session, but cannot show the conversation`)];
}

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
    const lines = sanitize(this.#text).trimEnd().split("\n");
    const shown = lines.slice(-SHOWN_LINES);
    return this.#isCut || shown.length < lines.length ? ["…", ...shown] : shown;
  }
}
