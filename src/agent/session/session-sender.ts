import {
  type AvailableCommand,
  type ClientCapability,
  type CompactionStatus,
  type Meta,
  type SessionConfigOption,
  type SessionUpdate,
  type Usage,
} from "../../acp/index.ts";
import { quiet } from "../../wire/index.ts";
import type { Client } from "../connection/client-link.ts";
import { UnsupportedByClientError } from "../errors.ts";
import { shownOptions } from "./config-options.ts";
import { type SendOptions, withMeta } from "./deliver.ts";
import { type UnstableSender, UNSTABLE_UPDATES, UnstableUpdateSender } from "../unstable/sender.ts";

/** A short-lived message for the user. */
export interface Notice {
  /** How serious it is. */
  readonly severity: "info" | "warning" | "error";
  /** The text to show. */
  readonly title: string;
  /** More text. */
  readonly description?: string | undefined;
}

/**
 * Sends the updates that a session allows at any time, in a turn and outside of one.
 *
 * Every method resolves when the client can take more, so awaiting it gives backpressure. Not
 * awaiting is safe until {@link BacklogError}. Methods reject with ConnectionError if the client is
 * gone.
 */
export interface SessionSender extends UnstableSender {
  /** The client that receives the updates. */
  readonly client: Client;
  /**
   * Sends any update as is. Rejects with UnsupportedByClientError if its kind needs a capability that
   * the client did not advertise.
   */
  update(update: SessionUpdate, options?: SendOptions): Promise<void>;
  /** Replaces the list of slash commands. */
  commands(commands: readonly AvailableCommand[], options?: SendOptions): Promise<void>;
  /** Sets the session's title; null removes it. */
  title(title: string | null, options?: SendOptions): Promise<void>;
  /** Reports how full the context is, and the cost so far. */
  usage(usage: Usage, options?: SendOptions): Promise<void>;
  /** Reports that the agent itself changed the mode. */
  mode(currentModeId: string, options?: SendOptions): Promise<void>;
  /** Reports that the agent itself changed config options. Takes the complete list. */
  configOptions(list: readonly SessionConfigOption[], options?: SendOptions): Promise<void>;
  /** Shows a transient notice. Rejects with UnsupportedByClientError without `session.notices`. */
  notice(notice: Notice, options?: SendOptions): Promise<void>;
  /** Reports a compaction's progress. Rejects with UnsupportedByClientError without `session.compaction`. */
  compaction(
    compactionId: string,
    status: CompactionStatus,
    details?: CompactionDetails,
    options?: SendOptions,
  ): Promise<void>;
}

/** The result of a compaction. */
export interface CompactionDetails {
  /** The summary that replaces the old messages. */
  readonly summary?: string | undefined;
  /** Why the compaction failed. */
  readonly error?: string | undefined;
}

/** Update kinds that may only go to clients that advertised support for them. */
const GATED: ReadonlyMap<string, ClientCapability> = /* @__PURE__ */ new Map<
  string,
  ClientCapability
>([
  ["notice", "session.notices"],
  ["compaction_update", "session.compaction"],
  ["compaction_summary_chunk", "session.compaction"],
]);

const UNSTABLE_GATED = /* @__PURE__ */ new Map<string, ClientCapability>(UNSTABLE_UPDATES);

/** Implements a sender on one method that sends an update. */
export abstract class UpdateSender extends UnstableUpdateSender implements SessionSender {
  abstract readonly client: Client;

  /** Sends an update without checking the client's capabilities. */
  protected abstract send(update: SessionUpdate, notificationMeta?: Meta): Promise<void>;

  override update(update: SessionUpdate, options: SendOptions = {}): Promise<void> {
    const kind = update.sessionUpdate;
    const needed = GATED.get(kind) ?? UNSTABLE_GATED.get(kind);
    if (needed !== undefined && !this.client.can(needed)) {
      return quiet(Promise.reject(new UnsupportedByClientError(needed)));
    }
    return this.send(withMeta(update, options), options.notificationMeta);
  }

  commands(commands: readonly AvailableCommand[], options?: SendOptions): Promise<void> {
    const availableCommands = [...commands];
    return this.update({ sessionUpdate: "available_commands_update", availableCommands }, options);
  }

  title(title: string | null, options?: SendOptions): Promise<void> {
    const updatedAt = new Date().toISOString();
    return this.update({ sessionUpdate: "session_info_update", title, updatedAt }, options);
  }

  usage({ cost, ...context }: Usage, options?: SendOptions): Promise<void> {
    const update = { ...context, ...(cost && { cost }) };
    return this.update({ sessionUpdate: "usage_update", ...update }, options);
  }

  mode(currentModeId: string, options?: SendOptions): Promise<void> {
    return this.update({ sessionUpdate: "current_mode_update", currentModeId }, options);
  }

  configOptions(list: readonly SessionConfigOption[], options?: SendOptions): Promise<void> {
    const configOptions = shownOptions(list, this.client);
    return this.update({ sessionUpdate: "config_option_update", configOptions }, options);
  }

  notice({ severity, title, description }: Notice, options?: SendOptions): Promise<void> {
    const details = description === undefined ? {} : { description };
    return this.update({ sessionUpdate: "notice", severity, title, ...details }, options);
  }

  compaction(
    compactionId: string,
    status: CompactionStatus,
    { summary, error }: CompactionDetails = {},
    options?: SendOptions,
  ): Promise<void> {
    const update: SessionUpdate = {
      sessionUpdate: "compaction_update",
      compactionId,
      status,
      ...(summary === undefined ? {} : { summary: [{ type: "text", text: summary }] }),
      ...(error === undefined ? {} : { error }),
    };
    return this.update(update, options);
  }
}
