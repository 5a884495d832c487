import { AGENT_METHODS, type Meta, type SubagentState } from "../../protocol/acp/index.ts";
import { quietly } from "../../base/index.ts";
import { CapabilityError } from "../errors.ts";
import type { SessionHost } from "../session/session-host.ts";
import { SessionImpl } from "../session/session-impl.ts";
import type { Subagent } from "./subagent.ts";

/** How many updates are kept for a subagent that nothing reads. There may be many such subagents. */
const UNREAD_LIMITS = { updates: 64, bytes: 256 * 1024 };

/**
 * The session of a subagent. Its roots are its parent's, even if the agent reports other folders: an agent
 * must not be able to widen the jail by announcing a subagent.
 */
export class SubagentSession extends SessionImpl implements Subagent {
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
