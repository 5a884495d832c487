import {
  type ContentBlock,
  isContentBlock,
  mergeToolCall,
  textOf,
  toToolCallChange,
  type ToolCallState,
  toToolCallPatch,
} from "../../protocol/acp/index.ts";
import {
  bytesOf,
  isJsonObject,
  type JsonObject,
  objectField,
  stringField,
} from "../../base/index.ts";
import { errorOf, paramsOf, readWireMessage, resultOf, updateOf } from "../message.ts";
import type { SessionModel } from "./model.ts";
import type { TracedItem, TracedSession, TracedTerminal, TracedToolCall } from "./traced.ts";

/*
 * Everything that is read from the lines only when it is shown.
 */

/** Everything known about a tool call after all its frames, or after those up to a row. */
export function toolCallState(
  { frames }: SessionModel,
  call: TracedToolCall,
  upTo = Number.POSITIVE_INFINITY,
): ToolCallState | undefined {
  let state: ToolCallState | undefined;
  for (const row of call.frames) {
    if (row > upTo) break;
    const message = readWireMessage(frames.line(row));
    const update = updateOf(message);
    if (update) {
      const type = update["sessionUpdate"] === "tool_call" ? "tool_call" : "tool_call_update";
      const change = toToolCallChange(type, update);
      if (change) state = mergeToolCall(state, change);
      continue;
    }
    const params = paramsOf(message);
    const subject = objectField(params, "subject");
    const patch = toToolCallPatch(params["toolCall"] ?? subject?.["toolCall"]);
    if (patch) state = mergeToolCall(state, patch);
  }
  return state;
}

export function itemRows({ frames }: SessionModel, item: TracedItem): readonly number[] {
  const rows: number[] = [];
  for (let row = item.first; row >= 0; row = frames.next(row)) rows.push(row);
  return rows;
}

/** The content of a prompt or message. Chunks are joined, and a whole message replaces them. */
export function itemContent(model: SessionModel, item: TracedItem): readonly ContentBlock[] {
  let blocks: ContentBlock[] = [];
  for (const row of itemRows(model, item)) {
    const message = readWireMessage(model.frames.line(row));
    const update = updateOf(message);
    if (!update) {
      // The prompt itself. The echo of an agent of v2 follows it and says the same.
      return blocksOf(paramsOf(message)["prompt"]);
    }
    const { content } = update;
    if (Array.isArray(content)) blocks = [...blocksOf(content)];
    else if (content === null) blocks = [];
    else if (isContentBlock(content)) addChunk(blocks, content);
  }
  return blocks;
}

export function itemText(model: SessionModel, item: TracedItem): string {
  return itemContent(model, item).map(textOf).join("");
}

function blocksOf(content: unknown): readonly ContentBlock[] {
  if (!Array.isArray(content)) return [];
  const list: readonly unknown[] = content;
  return list.filter((block) => isContentBlock(block));
}

/** Pieces of text become one block. */
function addChunk(blocks: ContentBlock[], chunk: ContentBlock): void {
  const last = blocks.at(-1);
  if (chunk.type === "text" && last?.type === "text")
    blocks[blocks.length - 1] = { ...last, text: last.text + chunk.text };
  else blocks.push(chunk);
}

/** Everything known about a session besides its frames. */
export interface SessionDetails {
  readonly id: string;
  /** The folder that it was opened in; undefined if that was not captured. */
  readonly cwd: string | undefined;
  readonly title: string | undefined;
}

export function sessionDetails({ frames }: SessionModel, session: TracedSession): SessionDetails {
  const { id, opened, info } = session;
  const request = opened < 0 ? {} : paramsOf(readWireMessage(frames.line(opened)));
  const update = info < 0 ? undefined : updateOf(readWireMessage(frames.line(info)));
  return { id, cwd: stringField(request, "cwd"), title: update && stringField(update, "title") };
}

export interface TerminalDetails {
  readonly command: string;
  readonly cwd: string | undefined;
  /** The end of the output. It may contain control sequences. */
  readonly output: string;
  readonly isTruncated: boolean;
}

export function terminalDetails(model: SessionModel, terminal: TracedTerminal): TerminalDetails {
  const { frames } = model;
  const params = paramsOf(readWireMessage(frames.line(terminal.created)));
  if (frames.method(terminal.created) !== "terminal/create") return agentTerminal(model, terminal);
  const last = terminal.outputs.at(-1);
  const result = last === undefined ? {} : resultOf(readWireMessage(frames.line(last)));
  const args = Array.isArray(params["args"]) ? params["args"].map(String) : [];
  return {
    command: [stringField(params, "command") ?? "", ...args].join(" "),
    cwd: stringField(params, "cwd"),
    output: stringField(result, "output") ?? "",
    isTruncated: result["truncated"] === true,
  };
}

/** A terminal of an agent of v2. Its updates change what is known, and add to the output or replace it. */
function agentTerminal({ frames }: SessionModel, { outputs }: TracedTerminal): TerminalDetails {
  let command = "";
  let cwd: string | undefined;
  let output = "";
  let decoder = new TextDecoder();
  const add = (data: unknown): void => {
    output += decoder.decode(bytesOf(typeof data === "string" ? data : undefined), {
      stream: true,
    });
  };
  for (const row of outputs) {
    const update = updateOf(readWireMessage(frames.line(row))) ?? {};
    if (update["sessionUpdate"] === "terminal_output_chunk") {
      add(update["data"]);
      continue;
    }
    command = stringField(update, "command") ?? command;
    cwd = stringField(update, "cwd") ?? cwd;
    if (update["output"] === undefined) continue;
    output = "";
    decoder = new TextDecoder();
    add(objectField(update, "output")?.["data"]);
  }
  return { command, cwd, output, isTruncated: false };
}

/** How many bytes of a line are read for its first words. */
const READ_BYTES = 4096;
const MOST_WORDS = 200;

/** A few words about a frame, for a row of a list: the text of a chunk, a title, a path, an error. */
export function firstWords({ frames }: SessionModel, row: number): string {
  const line = frames.lines.text(row, READ_BYTES);
  if (frames.size(row) > READ_BYTES) return quotedText(line);
  const message = readWireMessage(line);
  if (message.kind === "none") return line.slice(0, MOST_WORDS);
  if (message.kind === "error")
    return (stringField(errorOf(message), "message") ?? "").slice(0, MOST_WORDS);
  const update = updateOf(message);
  const result = resultOf(message);
  const words =
    wordsIn(update ?? { ...paramsOf(message), ...result }) ||
    (stringField(result, "sessionId") ?? "");
  return words.slice(0, MOST_WORDS);
}

const WORD_FIELDS = [
  "text",
  "title",
  "path",
  "command",
  "stopReason",
  "state",
  "cwd",
  "uri",
  "name",
];
const NESTED_FIELDS = [
  "content",
  "prompt",
  "toolCall",
  "outcome",
  "entries",
  "clientInfo",
  "agentInfo",
  "info",
];

function wordsIn(value: JsonObject, depth = 0): string {
  for (const field of WORD_FIELDS) {
    const text = value[field];
    if (typeof text === "string" && text !== "") return text;
  }
  if (depth === 2) return "";
  for (const field of NESTED_FIELDS) {
    const nested = value[field];
    if (typeof nested === "string" && nested !== "") return nested;
    const first: unknown = Array.isArray(nested) ? nested[0] : nested;
    const words = isJsonObject(first) ? wordsIn(first, depth + 1) : "";
    if (words !== "") return words;
  }
  return "";
}

/** The first text in the beginning of a long line. */
function quotedText(line: string): string {
  const match =
    /"(?:text|title|message|content|path|output)"\s*:\s*"((?:[^"\\]|\\.)*)/.exec(line) ??
    /"sessionId":"([^"]*)/.exec(line);
  const text = match?.[1] ?? line;
  return text.slice(0, MOST_WORDS).replaceAll(/\\n/g, " ").replaceAll(/\\(.)/g, "$1");
}
