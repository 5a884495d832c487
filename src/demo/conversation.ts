import { randomUUID } from "node:crypto";
import type { AvailableCommand, SessionInfo, SessionUpdate } from "../acp/index.ts";
import { History } from "./history.ts";

export type DemoModeId = "ask" | "auto" | "read-only";
export type Detail = "short" | "full";

/** What the demo agent keeps for a session. */
export class Conversation {
  readonly id: string;
  readonly cwd: string;
  readonly history: History;
  title: string | undefined;
  updatedAt = new Date().toISOString();
  mode: DemoModeId = "ask";
  detail: Detail = "short";
  /** Whether places are shown with the line that stands there. */
  quotes = true;
  /** The commands the client was told of. */
  commands: readonly AvailableCommand[] = [];

  constructor(cwd: string, id: string = randomUUID(), updates: readonly SessionUpdate[] = []) {
    this.id = id;
    this.cwd = cwd;
    this.history = new History(updates);
  }

  /** A copy that goes its own way, under an id of its own. */
  fork(cwd: string): Conversation {
    const copy = new Conversation(cwd, undefined, this.history.snapshot());
    copy.title = this.title === undefined ? undefined : `${this.title} (copy)`;
    copy.mode = this.mode;
    copy.detail = this.detail;
    copy.quotes = this.quotes;
    return copy;
  }

  record(update: SessionUpdate): void {
    this.history.add(update);
    if (update.sessionUpdate === "session_info_update" && update.title !== undefined) {
      this.title = update.title ?? undefined;
    }
  }

  /** Whether anything was said in it. */
  get hasBegun(): boolean {
    return this.history.snapshot().some(({ sessionUpdate: kind }) => kind === "user_message_chunk");
  }

  touch(): void {
    this.updatedAt = new Date().toISOString();
  }

  get info(): SessionInfo {
    const { id: sessionId, cwd, title, updatedAt } = this;
    return { sessionId, cwd, updatedAt, ...(title === undefined ? {} : { title }) };
  }
}
