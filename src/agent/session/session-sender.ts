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

/** Update kinds that may only go to clients that advertised support for them. */
const GATED: ReadonlyMap<string, ClientCapability> = new Map([
  ["notice", "session.notices"],
  ["compaction_update", "session.compaction"],
  ["compaction_summary_chunk", "session.compaction"],
]);

/**
 * Sends the updates that a session allows at any time, in a turn and outside of one.
 *
 * Every method resolves when the client can take more, so awaiting it gives backpressure. Not
 * awaiting is safe until {@link BacklogError}. Methods reject with ConnectionError if the client is
 * gone.
 */
export abstract class SessionSender {
  abstract readonly client: Client;

  /** Sends an update without checking the client's capabilities. */
  protected abstract send(update: SessionUpdate): Promise<void>;

  /**
   * Sends any update as is. Rejects with UnsupportedByClientError if its kind needs a capability that
   * the client did not advertise.
   */
  update(update: SessionUpdate): Promise<void> {
    const needed = GATED.get(update.sessionUpdate);
    if (needed === undefined || this.client.can(needed)) return this.send(update);
    return quiet(Promise.reject(new UnsupportedByClientError(needed)));
  }

  /** Replaces the list of slash commands. */
  commands(commands: readonly AvailableCommand[]): Promise<void> {
    return this.send({
      sessionUpdate: "available_commands_update",
      availableCommands: [...commands],
    });
  }

  /** Sets the session's title; null removes it. */
  title(title: string | null): Promise<void> {
    const updatedAt = new Date().toISOString();
    return this.send({ sessionUpdate: "session_info_update", title, updatedAt });
  }

  /** Reports how full the context is, and the cost so far. */
  usage({ cost, ...context }: Usage): Promise<void> {
    return this.send({ sessionUpdate: "usage_update", ...context, ...(cost && { cost }) });
  }

  /** Reports that the agent itself changed the mode. */
  mode(currentModeId: string): Promise<void> {
    return this.send({ sessionUpdate: "current_mode_update", currentModeId });
  }

  /** Reports that the agent itself changed config options. Takes the complete list. */
  configOptions(options: readonly SessionConfigOption[]): Promise<void> {
    const configOptions = shownOptions(options, this.client);
    return this.send({ sessionUpdate: "config_option_update", configOptions });
  }

  /** Shows a transient notice. Rejects with UnsupportedByClientError without `session.notices`. */
  notice(notice: Notice): Promise<void> {
    return this.update({ sessionUpdate: "notice", ...notice });
  }

  /** Reports a compaction's progress. Rejects with UnsupportedByClientError without `session.compaction`. */
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
