import type {
  AvailableCommand,
  ClientCapability,
  CompactionStatus,
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
  readonly description?: string | undefined;
}

/**
 * Sends the updates that a session allows at any time, in a turn and outside of one.
 *
 * Every method resolves when the client can take more, so awaiting it gives backpressure. Not
 * awaiting is safe until {@link BacklogError}. Methods reject with ConnectionError if the client is
 * gone.
 */
export interface SessionSender {
  readonly client: Client;
  /**
   * Sends any update as is. Rejects with UnsupportedByClientError if its kind needs a capability that
   * the client did not advertise.
   */
  update(update: SessionUpdate): Promise<void>;
  /** Replaces the list of slash commands. */
  commands(commands: readonly AvailableCommand[]): Promise<void>;
  /** Sets the session's title; null removes it. */
  title(title: string | null): Promise<void>;
  /** Reports how full the context is, and the cost so far. */
  usage(usage: Usage): Promise<void>;
  /** Reports that the agent itself changed the mode. */
  mode(currentModeId: string): Promise<void>;
  /** Reports that the agent itself changed config options. Takes the complete list. */
  configOptions(options: readonly SessionConfigOption[]): Promise<void>;
  /** Shows a transient notice. Rejects with UnsupportedByClientError without `session.notices`. */
  notice(notice: Notice): Promise<void>;
  /** Reports a compaction's progress. Rejects with UnsupportedByClientError without `session.compaction`. */
  compaction(
    compactionId: string,
    status: CompactionStatus,
    details?: CompactionDetails,
  ): Promise<void>;
}

/** The result of a compaction. */
export interface CompactionDetails {
  readonly summary?: string | undefined;
  readonly error?: string | undefined;
}

/** Update kinds that may only go to clients that advertised support for them. */
const GATED: ReadonlyMap<string, ClientCapability> = new Map([
  ["notice", "session.notices"],
  ["compaction_update", "session.compaction"],
  ["compaction_summary_chunk", "session.compaction"],
]);

/** Implements a sender on one method that sends an update. */
export abstract class UpdateSender implements SessionSender {
  abstract readonly client: Client;

  /** Sends an update without checking the client's capabilities. */
  protected abstract send(update: SessionUpdate): Promise<void>;

  update(update: SessionUpdate): Promise<void> {
    const needed = GATED.get(update.sessionUpdate);
    if (needed === undefined || this.client.can(needed)) return this.send(update);
    return quiet(Promise.reject(new UnsupportedByClientError(needed)));
  }

  commands(commands: readonly AvailableCommand[]): Promise<void> {
    return this.send({
      sessionUpdate: "available_commands_update",
      availableCommands: [...commands],
    });
  }

  title(title: string | null): Promise<void> {
    const updatedAt = new Date().toISOString();
    return this.send({ sessionUpdate: "session_info_update", title, updatedAt });
  }

  usage({ cost, ...context }: Usage): Promise<void> {
    return this.send({ sessionUpdate: "usage_update", ...context, ...(cost && { cost }) });
  }

  mode(currentModeId: string): Promise<void> {
    return this.send({ sessionUpdate: "current_mode_update", currentModeId });
  }

  configOptions(options: readonly SessionConfigOption[]): Promise<void> {
    const configOptions = shownOptions(options, this.client);
    return this.send({ sessionUpdate: "config_option_update", configOptions });
  }

  notice(notice: Notice): Promise<void> {
    const { severity, title, description } = notice;
    return this.update({
      sessionUpdate: "notice",
      severity,
      title,
      ...(description === undefined ? {} : { description }),
    });
  }

  compaction(
    compactionId: string,
    status: CompactionStatus,
    details: CompactionDetails = {},
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
