import type { ContentBlock, PlanEntry } from "../types.ts";
import { KeptMap, weightOf } from "../state/kept-map.ts";
import { patched } from "../state/patched.ts";
import type { PlanContent, SubagentActivity } from "./types.ts";
import type {
  SessionMessageChange,
  SessionMessageChunkChange,
  SubagentChange,
  UnstableUpdate,
} from "./updates.ts";

/** Everything known about a subagent of a session. Immutable: an update creates a new object. */
export interface SubagentState {
  readonly sessionId: string;
  readonly title: string | undefined;
  /** Its purpose. */
  readonly description: string | undefined;
  /** Whether the client may cancel its work. */
  readonly canCancel: boolean;
  /** Its current work; undefined if the agent does not say. */
  readonly activity: SubagentActivity | undefined;
  /** The working folder that the agent reported; undefined means that of the parent. */
  readonly cwd: string | undefined;
  /** The additional folders that the agent reported; undefined means those of the parent. */
  readonly additionalDirectories: readonly string[] | undefined;
}

/** A message between two sessions. Immutable: an update creates a new object. */
export interface SessionMessageState {
  readonly messageId: string;
  readonly senderSessionId: string | undefined;
  readonly recipientSessionId: string | undefined;
  /** The id of the same message in the sender's session. */
  readonly senderMessageId: string | undefined;
  /** The id of the same message in the recipient's session. */
  readonly recipientMessageId: string | undefined;
  readonly content: readonly ContentBlock[];
}

/** The part of a session's state that unstable updates change. */
export interface UnstableState {
  readonly plans: Map<string, PlanContent>;
  readonly subagents: Map<string, SubagentState>;
  readonly sessionMessages: Map<string, SessionMessageState>;
  plan: readonly PlanEntry[];
}

const KEPT_PLANS = { count: 100, chars: 1024 * 1024 };
/** How many subagents of a session are kept. Those that work or wait are dropped last. */
const KEPT_SUBAGENTS = 200;
const KEPT_SUBAGENT_CHARS = 1024 * 1024;
const KEPT_MESSAGES = { count: 200, chars: 1024 * 1024 };
const KEPT_MESSAGE_BLOCKS = 1000;

/** Creates the maps of the state. They keep the newest entries, so that they do not grow forever. */
export function createUnstableState(): Omit<UnstableState, "plan"> {
  return {
    plans: new KeptMap<PlanContent>({ ...KEPT_PLANS, weigh: weightOf }),
    subagents: new KeptMap<SubagentState>({
      count: KEPT_SUBAGENTS,
      chars: KEPT_SUBAGENT_CHARS,
      weigh: weightOf,
      isOver: ({ activity }) => activity?.state === "idle",
    }),
    sessionMessages: new KeptMap<SessionMessageState>({ ...KEPT_MESSAGES, weigh: weightOf }),
  };
}

/** Applies one unstable update to the state in place. `plan` follows the plan of entries that changed last. */
export function applyUnstableUpdate(state: UnstableState, update: UnstableUpdate): void {
  switch (update.type) {
    case "plan_update":
      state.plans.set(update.plan.planId, update.plan);
      if (update.plan.type === "items") state.plan = update.plan.entries;
      return;
    case "plan_removed": {
      const removed = state.plans.get(update.planId);
      if (removed?.type === "items" && removed.entries === state.plan) state.plan = [];
      state.plans.delete(update.planId);
      return;
    }
    case "subagent_update": {
      const known = state.subagents.get(update.sessionId);
      state.subagents.set(update.sessionId, mergeSubagent(known, update));
      return;
    }
    case "session_message":
    case "session_message_chunk": {
      const known = state.sessionMessages.get(update.messageId);
      state.sessionMessages.set(update.messageId, mergeSessionMessage(known, update));
      return;
    }
    default:
      update satisfies never;
  }
}

/** Merges an update of a subagent into its known state. Pure. */
export function mergeSubagent(
  current: SubagentState | undefined,
  update: SubagentChange,
): SubagentState {
  return {
    sessionId: update.sessionId,
    title: patched(current?.title, update.title),
    description: patched(current?.description, update.description),
    canCancel: update.canCancel ?? current?.canCancel ?? false,
    activity: patched(current?.activity, update.activity),
    cwd: patched(current?.cwd, update.cwd),
    additionalDirectories: patched(current?.additionalDirectories, update.additionalDirectories),
  };
}

/** Merges an update or a chunk of a message into its known state. Pure. Either may come first. */
export function mergeSessionMessage(
  current: SessionMessageState | undefined,
  update: SessionMessageChange | SessionMessageChunkChange,
): SessionMessageState {
  const content = current?.content ?? [];
  if (update.type === "session_message_chunk") {
    const known = current ?? emptyMessage(update.messageId);
    if (content.length >= KEPT_MESSAGE_BLOCKS) return known;
    return { ...known, content: [...content, update.content] };
  }
  return {
    messageId: update.messageId,
    senderSessionId: patched(current?.senderSessionId, update.senderSessionId),
    recipientSessionId: patched(current?.recipientSessionId, update.recipientSessionId),
    senderMessageId: patched(current?.senderMessageId, update.senderMessageId),
    recipientMessageId: patched(current?.recipientMessageId, update.recipientMessageId),
    content: patched(content, update.content) ?? [],
  };
}

function emptyMessage(messageId: string): SessionMessageState {
  return {
    messageId,
    senderSessionId: undefined,
    recipientSessionId: undefined,
    senderMessageId: undefined,
    recipientMessageId: undefined,
    content: [],
  };
}
