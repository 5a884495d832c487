import { log, quietly } from "../../base/index.ts";
import { CapabilityError, SessionError } from "../errors.ts";
import type { SessionHost, SubagentHost } from "../session/session-host.ts";
import { SessionImpl } from "../session/session-impl.ts";
import type { Subagent } from "../session/session.ts";
import { AGENT_METHODS, type Meta, type SubagentState } from "../../protocol/acp/index.ts";

/** How many subagents of a connection have a session. The oldest are dropped, idle ones first. */
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
    throw new SessionError("session_not_found", id);
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
    session.end(new SessionError("closed", session.id), "end");
    await this.#host.forget(session);
  }
}

export function isSubagent(session: SessionImpl): boolean {
  return session instanceof SubagentSession;
}

/** How many updates are kept for a subagent that nothing reads. There may be many such subagents. */
const UNREAD_LIMITS = { updates: 64, bytes: 256 * 1024 };

/**
 * The session of a subagent. Its roots are its parent's, even if the agent reports other folders: an agent
 * must not be able to widen the jail by announcing a subagent.
 */
class SubagentSession extends SessionImpl implements Subagent {
  readonly parent: SessionImpl;
  readonly #host: SessionHost;

  constructor(host: SessionHost, id: string, parent: SessionImpl) {
    super(host, id, parent.roots, parent.access, UNREAD_LIMITS);
    this.#host = host;
    this.parent = parent;
  }

  get details(): SubagentState | undefined {
    return this.parent.subagents.get(this.id);
  }

  /** The agent is not idle while a subagent works, so the parent's turn is not either. */
  override receive(raw: unknown, size: number, meta: Meta | undefined): void {
    this.parent.readingResumed();
    super.receive(raw, size, meta);
  }

  override readingResumed(): void {
    this.parent.readingResumed();
  }

  override serving(active: boolean): void {
    this.parent.serving(active);
  }

  /** While a person is asked, the parent's turn waits too. */
  override asking<T>(work: () => Promise<T>): Promise<T> {
    return this.parent.asking(() => super.asking(work));
  }

  override cancel(): Promise<void> {
    return quietly(async () => {
      if (this.details?.canCancel !== true) {
        const what = `${AGENT_METHODS.cancel} of the subagent "${this.id}"`;
        throw new CapabilityError(what, "cancel", "the agent does not allow it");
      }
      const { turnSignal } = this;
      const answered = super.cancel();
      // With an open question, the notification was already sent.
      if (!turnSignal.aborted) void this.#host.notify(AGENT_METHODS.cancel, { sessionId: this.id });
      await answered;
    });
  }
}
