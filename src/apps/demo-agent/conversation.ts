import { randomUUID } from "node:crypto";
import type {
  AvailableCommand,
  SessionInfo,
  SessionUpdate,
  SystemPrompt,
  SessionConfigOption,
  SessionModeState,
} from "../../protocol/acp/index.ts";

export type DemoModeId = "ask" | "auto" | "read-only";
export type Detail = "short" | "full";

export class Conversation {
  readonly id: string;
  readonly cwd: string;
  readonly history: History;
  title: string | undefined;
  updatedAt = new Date().toISOString();
  archived = false;
  systemPrompt: SystemPrompt | undefined;
  mode: DemoModeId = "ask";
  detail: Detail = "short";
  /** Whether answers quote each matching line. */
  quotes = true;
  /** The commands that the client was sent. */
  commands: readonly AvailableCommand[] = [];

  constructor(cwd: string, id: string = randomUUID(), updates: readonly SessionUpdate[] = []) {
    this.id = id;
    this.cwd = cwd;
    this.history = new History(updates);
  }

  fork(cwd: string): Conversation {
    const copy = new Conversation(cwd, undefined, this.history.snapshot());
    copy.title = this.title === undefined ? undefined : `${this.title} (copy)`;
    copy.mode = this.mode;
    copy.detail = this.detail;
    copy.quotes = this.quotes;
    copy.systemPrompt = this.systemPrompt;
    return copy;
  }

  record(update: SessionUpdate): void {
    this.history.add(update);
    if (update.sessionUpdate === "session_info_update" && update.title !== undefined) {
      this.title = update.title ?? undefined;
    }
  }

  get hasPrompts(): boolean {
    return this.history.snapshot().some(({ sessionUpdate: kind }) => kind === "user_message_chunk");
  }

  touch(): void {
    this.updatedAt = new Date().toISOString();
  }

  get info(): SessionInfo {
    const { id: sessionId, cwd, title, updatedAt, archived } = this;
    return {
      sessionId,
      cwd,
      updatedAt,
      ...(title === undefined ? {} : { title }),
      ...(archived ? { archived } : {}),
    };
  }
}

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

  add(update: SessionUpdate): void {
    if (!isReplayed(update)) return;
    this.#updates.push(update);
    this.#chars += sizeOf(update);
    if (this.#updates.length > MAX_UPDATES || this.#chars > MAX_CHARS) this.#dropOldest();
  }

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

const MODES: readonly {
  readonly id: DemoModeId;
  readonly name: string;
  readonly description: string;
}[] = [
  { id: "ask", name: "Ask", description: "Asks before it changes files or runs commands" },
  { id: "auto", name: "Auto", description: "Changes files and runs commands without asking" },
  { id: "read-only", name: "Read only", description: "Never changes files or runs commands" },
];

const DETAILS: readonly { readonly value: Detail; readonly name: string }[] = [
  { value: "short", name: "The best few matches" },
  { value: "full", name: "Many matches" },
];

/** The modes of a conversation, in the form of the protocol. */
export function modesOf({ mode }: Conversation): SessionModeState {
  return { currentModeId: mode, availableModes: [...MODES] };
}

/** The mode with an id; undefined if there is none. */
export function parseMode(id: string): DemoModeId | undefined {
  return MODES.find((mode) => mode.id === id)?.id;
}

export function optionsOf({ detail, quotes }: Conversation): SessionConfigOption[] {
  return [
    {
      id: "detail",
      name: "Detail",
      description: "How many matches an answer shows",
      type: "select",
      currentValue: detail,
      options: [...DETAILS],
    },
    {
      id: "quotes",
      name: "Quote lines",
      description: "Whether an answer quotes each matching line",
      type: "boolean",
      currentValue: quotes,
    },
  ];
}

/** Sets an option; returns false for an unknown option or value. */
export function setOption(
  conversation: Conversation,
  id: string,
  value: string | boolean,
): boolean {
  if (id === "detail") {
    const detail = DETAILS.find((candidate) => candidate.value === value)?.value;
    if (detail !== undefined) conversation.detail = detail;
    return detail !== undefined;
  }
  if (id !== "quotes") return false;
  if (typeof value === "boolean") conversation.quotes = value;
  return typeof value === "boolean";
}
