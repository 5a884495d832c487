import type {
  AvailableCommand,
  ClientCapability,
  SessionConfigOption,
  SessionUpdate,
  Usage,
} from "../../acp/index.ts";
import { quiet } from "../../wire/index.ts";
import type { Client } from "../connection/client-link.ts";
import { UnsupportedByClientError } from "../errors.ts";
import { shownOptions } from "./config-options.ts";

export interface Notice {
  readonly severity: "info" | "warning" | "error";
  readonly title: string;
  readonly description?: string;
}

/** Update kinds that only clients who asked for them may be sent. */
const GATED: ReadonlyMap<string, ClientCapability> = new Map([
  ["notice", "session.notices"],
  ["compaction_update", "session.compaction"],
  ["compaction_summary_chunk", "session.compaction"],
]);

/**
 * What can be told about a session at any time, in a turn and outside of one.
 *
 * Every method resolves when the client can take more, so awaiting it is backpressure. Not awaiting
 * is safe until {@link BacklogError}. They reject with ConnectionError when the client is gone.
 */
export abstract class SessionSender {
  abstract readonly client: Client;

  /** Sends an update that stands in no need of a capability. */
  protected abstract send(update: SessionUpdate): Promise<void>;

  /**
   * Sends any update as it is. Rejects with UnsupportedByClientError for a kind that needs a
   * capability the client did not advertise.
   */
  update(update: SessionUpdate): Promise<void> {
    const needed = GATED.get(update.sessionUpdate);
    if (needed === undefined || this.client.can(needed)) return this.send(update);
    return quiet(Promise.reject(new UnsupportedByClientError(needed)));
  }

  /** Replaces the slash commands on offer. */
  commands(commands: readonly AvailableCommand[]): Promise<void> {
    return this.send({
      sessionUpdate: "available_commands_update",
      availableCommands: [...commands],
    });
  }

  /** Names the session; null takes the name away. */
  title(title: string | null): Promise<void> {
    const updatedAt = new Date().toISOString();
    return this.send({ sessionUpdate: "session_info_update", title, updatedAt });
  }

  /** Says how full the context is, and what it cost. */
  usage({ cost, ...context }: Usage): Promise<void> {
    return this.send({ sessionUpdate: "usage_update", ...context, ...(cost && { cost }) });
  }

  /** Says that the agent itself changed the mode. */
  mode(currentModeId: string): Promise<void> {
    return this.send({ sessionUpdate: "current_mode_update", currentModeId });
  }

  /** Says that the agent itself changed config options: the complete list. */
  configOptions(options: readonly SessionConfigOption[]): Promise<void> {
    const configOptions = shownOptions(options, this.client);
    return this.send({ sessionUpdate: "config_option_update", configOptions });
  }

  /** Shows a passing notice. Rejects with UnsupportedByClientError without `session.notices`. */
  notice(notice: Notice): Promise<void> {
    return this.update({ sessionUpdate: "notice", ...notice });
  }

  /** Tells of a compaction's progress. Rejects with UnsupportedByClientError without `session.compaction`. */
  compaction(
    compactionId: string,
    status: "in_progress" | "completed" | "failed" | "cancelled",
    details: { readonly summary?: string; readonly error?: string } = {},
  ): Promise<void> {
    const { summary, error } = details;
    return this.update({
      sessionUpdate: "compaction_update",
      compactionId,
      status,
      ...(summary === undefined ? {} : { summary: [{ type: "text", text: summary }] }),
      ...(error === undefined ? {} : { error }),
    });
  }
}
