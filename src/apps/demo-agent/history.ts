import type { SessionUpdate } from "../../protocol/acp/index.ts";

/** Limits for the history of one session. Beyond them, the oldest updates are dropped. */
const MAX_UPDATES = 50_000;
const MAX_CHARS = 16 * 1024 * 1024;
/** The estimated size of an update without its content. */
const OVERHEAD_CHARS = 200;

/** The updates of a session, for `session/load`. Bounded, so that a flood cannot exhaust memory. */
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
    if (!isReplayed(update)) return;
    this.#updates.push(update);
    this.#chars += sizeOf(update);
    if (this.#updates.length > MAX_UPDATES || this.#chars > MAX_CHARS) this.#dropOldest();
  }

  /** A copy of the current updates. */
  snapshot(): readonly SessionUpdate[] {
    return this.#updates.slice();
  }

  /** Drops half at once, because dropping one at a time would copy the list each time. */
  #dropOldest(): void {
    this.#updates = this.#updates.slice(Math.ceil(this.#updates.length / 2));
    this.#chars = this.#updates.reduce((sum, update) => sum + sizeOf(update), 0);
  }
}

/** Notices and compaction are transient. Commands and usage are sent anew. */
function isReplayed({ sessionUpdate }: SessionUpdate): boolean {
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

function sizeOf(update: SessionUpdate): number {
  if (!("content" in update)) return OVERHEAD_CHARS;
  const { content } = update;
  if (content && "type" in content && content.type === "text") {
    return OVERHEAD_CHARS + content.text.length;
  }
  return OVERHEAD_CHARS + JSON.stringify(content ?? null).length;
}
