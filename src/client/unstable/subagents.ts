import { log } from "../../base/index.ts";
import { SessionError } from "../errors.ts";
import type { SessionHost } from "../session/session-host.ts";
import type { SessionImpl } from "../session/session-impl.ts";
import type { Subagent, SubagentHost } from "./subagent.ts";
import { SubagentSession } from "./subagent-session.ts";

/**
 * How many subagents of a connection have a session. Beyond that, the oldest are dropped, idle ones
 * first.
 */
const MAX_SUBAGENTS = 64;

/** The sessions of subagents. They are in the connection's own map of sessions too. */
export class Subagents implements SubagentHost {
  readonly #host: SessionHost;
  readonly #sessions: Map<string, SessionImpl>;
  readonly #known = new Set<SubagentSession>();

  constructor(host: SessionHost, sessions: Map<string, SessionImpl>) {
    this.#host = host;
    this.#sessions = sessions;
  }

  /** Opens the session of a subagent, unless it is open. */
  announce(parentId: string, id: string): void {
    const parent = this.#sessions.get(parentId);
    if (!parent) return;
    const current = this.#sessions.get(id);
    if (current) {
      if (!this.#isOf(current, parentId)) {
        log(this.#host.logger, "warn", "ignored a subagent with the id of another session", {
          sessionId: id,
        });
      }
      return;
    }
    this.#makeRoom();
    const session = new SubagentSession(this.#host, id, parent);
    this.#known.add(session);
    this.#sessions.set(id, session);
  }

  /** The subagent of a session. Throws SessionError if there is none with this id. */
  find(parentId: string, id: string): Subagent {
    for (const session of this.#known) {
      if (session.id === id && session.parent.id === parentId) return session;
    }
    throw new SessionError("unknown_session", id);
  }

  /** Ends the subagents of a session that has ended, and their own subagents. */
  async endOf(parentId: string): Promise<void> {
    for (const session of this.#known) {
      if (session.parent.id === parentId) await this.#end(session);
    }
  }

  /** Forgets all subagents, after the connection has ended their sessions. */
  clear(): void {
    this.#known.clear();
  }

  #isOf(session: SessionImpl, parentId: string): boolean {
    return session instanceof SubagentSession && session.parent.id === parentId;
  }

  #makeRoom(): void {
    if (this.#known.size < MAX_SUBAGENTS) return;
    const known = [...this.#known];
    const idle = known.find(({ details }) => details?.activity?.state === "idle");
    const oldest = idle ?? known[0];
    if (oldest) void this.#end(oldest);
  }

  async #end(session: SubagentSession): Promise<void> {
    this.#known.delete(session);
    session.end(new SessionError("session_closed", session.id), "end");
    await this.#host.forget(session);
  }
}

/** Whether a session is that of a subagent. */
export function isSubagent(session: SessionImpl): boolean {
  return session instanceof SubagentSession;
}
