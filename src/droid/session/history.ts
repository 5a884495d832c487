import { type DroidMessage, type ToolUse, isInterruptNote } from "../protocol/messages.ts";

/** The result of a tool call. */
interface HistoryResult {
  readonly messageId: string;
  readonly content: string;
  readonly isError: boolean;
}

/** One step of a turn. */
export type HistoryStep =
  | { readonly type: "text"; readonly messageId: string; readonly text: string }
  | { readonly type: "thinking"; readonly messageId: string; readonly text: string }
  | {
      readonly type: "tool_call";
      readonly messageId: string;
      readonly toolUse: ToolUse;
      /** The result of the call; undefined if it has none. */
      readonly result: HistoryResult | undefined;
      /** The call has no result, because Droid died while it ran. */
      readonly dangling: boolean;
    }
  /** A message from Droid itself to the user. */
  | { readonly type: "notice"; readonly messageId: string; readonly text: string };

/** The text the user wrote, without Droid's additions. */
export interface HistoryPrompt {
  readonly messageId: string;
  readonly text: string;
  readonly images: readonly { readonly mediaType: string | undefined; readonly data: string }[];
  /** The attached files, without their contents. */
  readonly files: readonly {
    readonly name: string | undefined;
    readonly mediaType: string | undefined;
  }[];
}

/** One prompt and the steps that followed it. */
export interface HistoryTurn {
  /** Undefined for steps before the first prompt, as after a compaction. */
  readonly prompt: HistoryPrompt | undefined;
  readonly steps: readonly HistoryStep[];
  /** Whether the turn was interrupted. */
  readonly interrupted: boolean;
}

interface OpenTurn {
  prompt: HistoryPrompt | undefined;
  steps: HistoryStep[];
  interrupted: boolean;
}

/**
 * Turns the messages of a loaded session into a list of turns. Pure.
 *
 * Leaves out hidden messages and system reminders, and adds the result to each tool call. Droid
 * stores results in separate messages, with the role `tool`, or `user` in its files.
 */
export function readHistory(stored: readonly DroidMessage[]): readonly HistoryTurn[] {
  const messages = [...afterTheirParents(stored)];
  const results = resultsOf(messages);
  const turns: OpenTurn[] = [];
  const current = (): OpenTurn => {
    const last = turns.at(-1);
    if (last) return last;
    const first: OpenTurn = { prompt: undefined, steps: [], interrupted: false };
    turns.push(first);
    return first;
  };
  for (const message of messages) {
    if (isInterruptNote(message)) {
      current().interrupted = true;
    } else if (message.visibility !== "llm_only") {
      const prompt = message.role === "user" ? promptOf(message) : undefined;
      if (prompt) turns.push({ prompt, steps: [], interrupted: false });
      else if (message.role !== "user") current().steps.push(...stepsOf(message, results));
    }
  }
  return turns;
}

/**
 * The messages in their order, except that none comes before its parent: on a busy machine 0.215.0
 * was seen to list a prompt after its answer.
 */
function* afterTheirParents(messages: readonly DroidMessage[]): Generator<DroidMessage> {
  const ahead = new Set(messages.map(({ id }) => id));
  const early = new Map<string, DroidMessage[]>();
  for (const message of messages) {
    const { parentId } = message;
    if (parentId === undefined || !ahead.has(parentId) || parentId === message.id) {
      yield* withChildren(message, ahead, early);
    } else {
      const siblings = early.get(parentId);
      if (siblings) siblings.push(message);
      else early.set(parentId, [message]);
    }
  }
  // The remaining messages are each other's parents, so none of them can be the first.
  for (const rest of early.values()) yield* rest;
}

function* withChildren(
  first: DroidMessage,
  ahead: Set<string>,
  early: Map<string, DroidMessage[]>,
): Generator<DroidMessage> {
  const next = [first];
  for (let message = next.shift(); message; message = next.shift()) {
    yield message;
    ahead.delete(message.id);
    next.unshift(...(early.get(message.id) ?? []));
    early.delete(message.id);
  }
}

type Block = DroidMessage["content"][number];

/**
 * The result of each call is the first one that follows it. Ids alone are not enough, since some
 * models count their calls from one in every turn.
 */
function resultsOf(messages: readonly DroidMessage[]): ReadonlyMap<Block, HistoryResult> {
  const results = new Map<Block, HistoryResult>();
  const latest = new Map<string, Block>();
  for (const message of messages) {
    for (const block of message.content) {
      if (block.type === "tool_use") latest.set(block.toolUse.id, block);
      if (block.type !== "tool_result") continue;
      const call = latest.get(block.toolUseId);
      if (!call || results.has(call)) continue;
      const { content, isError } = block;
      results.set(call, { messageId: message.id, content, isError });
    }
  }
  return results;
}

/** The text the user wrote; undefined for a message with only results or reminders. */
function promptOf({ id, content }: DroidMessage): HistoryPrompt | undefined {
  const texts: string[] = [];
  const images: HistoryPrompt["images"][number][] = [];
  const files: HistoryPrompt["files"][number][] = [];
  for (const block of content) {
    if (block.type === "text" && !isReminder(block.text)) texts.push(block.text);
    if (block.type === "image") images.push({ mediaType: block.mediaType, data: block.data });
    if (block.type === "document") files.push({ name: block.name, mediaType: block.mediaType });
  }
  if (texts.length + images.length + files.length === 0) return undefined;
  return { messageId: id, text: texts.join("\n"), images, files };
}

/** Droid up to 0.117 puts its reminders into the user message. Later versions use separate messages. */
function isReminder(text: string): boolean {
  return text.trimStart().startsWith("<system-reminder>");
}

function stepsOf(
  message: DroidMessage,
  results: ReadonlyMap<Block, HistoryResult>,
): readonly HistoryStep[] {
  const { id: messageId, role } = message;
  return message.content.flatMap((block): readonly HistoryStep[] => {
    switch (block.type) {
      case "text":
        if (block.text === "" || isReminder(block.text)) return [];
        return [{ type: role === "assistant" ? "text" : "notice", messageId, text: block.text }];
      case "thinking":
        return block.text === "" ? [] : [{ type: "thinking", messageId, text: block.text }];
      case "tool_use": {
        const { toolUse } = block;
        const result = results.get(block);
        return [{ type: "tool_call", messageId, toolUse, result, dangling: result === undefined }];
      }
      case "tool_result":
      case "image":
      case "document":
      case "unknown":
        return [];
    }
  });
}
