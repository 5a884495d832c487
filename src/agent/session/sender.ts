import {
  type Meta,
  metaField,
  type SessionUpdate,
  type UnstableSessionUpdate,
  type AvailableCommand,
  type ClientCapability,
  type CompactionStatus,
  type SessionConfigOption,
  type ContextUsage,
  type Cost,
  type ContentBlock,
  type PlanContent,
  type SessionMessageDetails,
  type SubagentDetails,
} from "../../protocol/acp/index.ts";
import type { SentUpdate } from "../v2/updates.ts";
import { quiet, definedFields } from "../../base/index.ts";
import type { Client } from "../connection/client.ts";
import { UnsupportedByClientError } from "../errors.ts";

/** The `_meta` to send with an update. */
export interface SendOptions {
  /** The update's own `_meta`. */
  readonly meta?: Meta | undefined;
  /** The `_meta` next to the update, in the notification that carries it. */
  readonly notificationMeta?: Meta | undefined;
}

/** Sends an update in one session, with the `_meta` of its notification. */
export type Deliver = (update: SentUpdate, notificationMeta?: Meta) => Promise<void>;

export function withMeta(update: SessionUpdate, { meta }: SendOptions): SessionUpdate {
  return meta === undefined ? update : { ...update, ...metaField(meta) };
}

/**
 * Sends the updates of the unstable protocol. Methods reject with UnsupportedByClientError if the client
 * did not advertise them, and without `unstable: true`.
 */
export interface UnstableSender {
  /** Creates or replaces a plan with an id. Needs the client's `plan`. */
  planUpdate(plan: PlanContent, options?: SendOptions): Promise<void>;
  /** Removes a plan with an id. Needs the client's `plan`. */
  planRemoved(planId: string, options?: SendOptions): Promise<void>;
  /** Reports a subagent, or what changed about it. Needs the client's `subagents`. */
  subagentUpdate(sessionId: string, details: SubagentDetails, options?: SendOptions): Promise<void>;
  /** Creates or changes a message between sessions. Needs the client's `subagents`. */
  sessionMessage(
    messageId: string,
    details: SessionMessageDetails,
    options?: SendOptions,
  ): Promise<void>;
  /** Sends the next part of a message between sessions. Needs the client's `subagents`. */
  sessionMessageChunk(
    messageId: string,
    content: string | ContentBlock,
    options?: SendOptions,
  ): Promise<void>;
}

/** A short-lived message for the user. */
export interface Notice {
  /** How serious it is. */
  readonly severity: "info" | "warning" | "error";
  readonly title: string;
  /** More text. */
  readonly description?: string | undefined;
}

/**
 * Sends the updates that a session allows at any time, in a turn and outside of one.
 *
 * Every method resolves when the client can take more, so awaiting it gives backpressure. Not
 * awaiting is safe until BacklogError. Methods reject with ConnectionError if the client is
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
  usage(
    usage: ContextUsage & { readonly cost?: Cost | undefined },
    options?: SendOptions,
  ): Promise<void>;
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
const GATED = /* @__PURE__ */ new Map<string, ClientCapability>([
  ["notice", "session.notices"],
  ["compaction_update", "session.compaction"],
  ["compaction_summary_chunk", "session.compaction"],
  ["plan_update", "plan"],
  ["plan_removed", "plan"],
  ["subagent_update", "subagents"],
  ["session_message", "subagents"],
  ["session_message_chunk", "subagents"],
]);

/** Implements a sender on one function that sends an update. */
export class UpdateSender implements SessionSender {
  readonly client: Client;
  readonly #deliver: Deliver;

  constructor(client: Client, deliver: Deliver) {
    this.client = client;
    this.#deliver = deliver;
  }

  update(update: SessionUpdate, options: SendOptions = {}): Promise<void> {
    const needed = GATED.get(update.sessionUpdate);
    if (needed !== undefined && !this.client.can(needed)) {
      return quiet(Promise.reject(new UnsupportedByClientError(needed)));
    }
    return this.#deliver(withMeta(update, options), options.notificationMeta);
  }

  commands(commands: readonly AvailableCommand[], options?: SendOptions): Promise<void> {
    const availableCommands = [...commands];
    return this.update({ sessionUpdate: "available_commands_update", availableCommands }, options);
  }

  title(title: string | null, options?: SendOptions): Promise<void> {
    const updatedAt = new Date().toISOString();
    return this.update({ sessionUpdate: "session_info_update", title, updatedAt }, options);
  }

  usage(
    { cost, ...context }: ContextUsage & { readonly cost?: Cost | undefined },
    options?: SendOptions,
  ): Promise<void> {
    const update = { ...context, ...(cost && { cost }) };
    return this.update({ sessionUpdate: "usage_update", ...update }, options);
  }

  mode(currentModeId: string, options?: SendOptions): Promise<void> {
    return this.update({ sessionUpdate: "current_mode_update", currentModeId }, options);
  }

  configOptions(list: readonly SessionConfigOption[], options?: SendOptions): Promise<void> {
    const configOptions = shownConfigOptions(list, this.client);
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

  planUpdate(plan: PlanContent, options?: SendOptions): Promise<void> {
    return this.#draft({ sessionUpdate: "plan_update", plan }, options);
  }

  planRemoved(planId: string, options?: SendOptions): Promise<void> {
    return this.#draft({ sessionUpdate: "plan_removed", planId }, options);
  }

  subagentUpdate(
    sessionId: string,
    details: SubagentDetails,
    options?: SendOptions,
  ): Promise<void> {
    const sent = definedFields(details);
    return this.#draft({ sessionUpdate: "subagent_update", sessionId, ...sent }, options);
  }

  sessionMessage(
    messageId: string,
    details: SessionMessageDetails,
    options?: SendOptions,
  ): Promise<void> {
    const sent = definedFields(details);
    return this.#draft({ sessionUpdate: "session_message", messageId, ...sent }, options);
  }

  sessionMessageChunk(
    messageId: string,
    given: string | ContentBlock,
    options?: SendOptions,
  ): Promise<void> {
    const content = toContentBlock(given);
    return this.#draft({ sessionUpdate: "session_message_chunk", messageId, content }, options);
  }

  #draft(update: UnstableSessionUpdate, options: SendOptions | undefined): Promise<void> {
    return this.update(update, options);
  }
}

/** The options to show a client. Only clients that support boolean options get them. */
export function shownConfigOptions(
  options: readonly SessionConfigOption[],
  client: Pick<Client, "can">,
): SessionConfigOption[] {
  const booleans = client.can("session.configOptions.boolean");
  return options.filter((option) => booleans || option.type !== "boolean");
}

export function toContentBlock(given: string | ContentBlock): ContentBlock {
  return typeof given === "string" ? { type: "text", text: given } : given;
}
