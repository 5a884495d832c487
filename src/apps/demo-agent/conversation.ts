import { randomUUID } from "node:crypto";
import type {
  AvailableCommand,
  SessionInfo,
  SessionUpdate,
  SystemPrompt,
} from "../../protocol/acp/index.ts";
import { History } from "./history.ts";

export type DemoModeId = "ask" | "auto" | "read-only";
export type Detail = "short" | "full";

/** The demo agent's state for a session. */
export class Conversation {
  readonly id: string;
  readonly cwd: string;
  readonly history: History;
  title: string | undefined;
  updatedAt = new Date().toISOString();
  archived = false;
  /** The client's instructions. */
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

  /** An independent copy with a new id. */
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

  /** Whether the user has sent a prompt. */
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
