import type { SessionUpdate } from "../acp/index.ts";

/** Updates kept for one session; the oldest go first. */
const MOST_UPDATES = 50_000;
const MOST_CHARS = 16 * 1024 * 1024;
/** What an update weighs besides its text. */
const FRAME_CHARS = 200;

/** What was said in a session, for `session/load`. Bounded: a flood must not fill the memory. */
export class History {
  #updates: SessionUpdate[] = [];
  #chars = 0;

  constructor(updates: readonly SessionUpdate[] = []) {
    for (const update of updates) this.add(update);
  }

  get length(): number {
    return this.#updates.length;
  }

  add(update: SessionUpdate): void {
    if (!isTold(update)) return;
    this.#updates.push(update);
    this.#chars += weigh(update);
    if (this.#updates.length > MOST_UPDATES || this.#chars > MOST_CHARS) this.#forget();
  }

  /** The updates as they stand now; what comes later is not among them. */
  snapshot(): readonly SessionUpdate[] {
    return this.#updates.slice();
  }

  /** Half of it goes at once: one by one would cost a copy for each. */
  #forget(): void {
    this.#updates = this.#updates.slice(Math.ceil(this.#updates.length / 2));
    this.#chars = this.#updates.reduce((sum, update) => sum + weigh(update), 0);
  }
}

/** Notices pass, and commands and usage are told afresh. */
function isTold({ sessionUpdate }: SessionUpdate): boolean {
  switch (sessionUpdate) {
    case "notice":
    case "available_commands_update":
    case "usage_update":
    case "compaction_update":
    case "compaction_summary_chunk":
      return false;
    default:
      return true;
  }
}

function weigh(update: SessionUpdate): number {
  if (!("content" in update)) return FRAME_CHARS;
  const { content } = update;
  if (Array.isArray(content)) return FRAME_CHARS + JSON.stringify(content).length;
  if (content?.type === "text") return FRAME_CHARS + content.text.length;
  return FRAME_CHARS + JSON.stringify(content ?? null).length;
}
