import { isToolCallStatus, isToolKind, KeptMap, weightOf } from "../../acp/index.ts";
import { isJsonObject, type JsonObject, stringField } from "../../wire/index.ts";
import type { LossCounter } from "../losses.ts";
import { META_KEYS } from "../methods.ts";
import { diffToV1 } from "../shapes/diff.ts";
import type { TerminalTexts } from "./terminals.ts";

/** A tool call as far as the agent described it. */
interface KnownToolCall {
  /** The content in its v2 form. */
  content: readonly unknown[];
  meta: JsonObject | undefined;
  /** How many items of the content were passed on. */
  passedOn: number;
}

const KEPT = { count: 1000, chars: 16 * 1024 * 1024 };

/** The tool calls of a session in v1's terms. */
export class ToolCallsInV1 {
  readonly #calls = new KeptMap<KnownToolCall>({
    ...KEPT,
    weigh: ({ content, meta }) => weightOf(content) + weightOf(meta),
  });
  readonly #terminals: TerminalTexts;
  readonly #losses: LossCounter;
  /** Whether the receiver understands the parts of v2 that v1 lacks. */
  readonly #details: boolean;

  constructor(terminals: TerminalTexts, losses: LossCounter, details: boolean) {
    this.#terminals = terminals;
    this.#losses = losses;
    this.#details = details;
  }

  /** The v1 update of a `tool_call_update` of v2; undefined if it names no call. */
  update(update: JsonObject): JsonObject | undefined {
    const toolCallId = stringField(update, "toolCallId");
    if (toolCallId === undefined) return undefined;
    const known = this.#calls.get(toolCallId);
    const { content, locations } = update;
    const call: KnownToolCall = {
      content: content === undefined ? (known?.content ?? []) : asList(content),
      meta: patchedMeta(known?.meta, update["_meta"]),
      passedOn: 0,
    };
    call.passedOn = content === undefined ? (known?.passedOn ?? 0) : call.content.length;
    const isLate = isFinal(update["status"]) && call.passedOn < call.content.length;
    if (isLate) call.passedOn = call.content.length;
    this.#calls.set(toolCallId, call);
    const meta = this.#metaWith(call.meta, update);
    return {
      sessionUpdate: known ? "tool_call_update" : "tool_call",
      toolCallId,
      ...this.#texts(update, known === undefined),
      ...this.#kind(update["kind"]),
      ...this.#status(update["status"]),
      ...(content === undefined && !isLate
        ? {}
        : { content: this.#content(toolCallId, call.content) }),
      ...(locations === undefined ? {} : { locations: asList(locations) }),
      ...this.#newFields(update),
      ...(meta === undefined ? {} : { _meta: meta }),
    };
  }

  /** The v1 update for one more item of content; undefined if it can wait for the next ones. */
  append(update: JsonObject): JsonObject | undefined {
    const toolCallId = stringField(update, "toolCallId");
    if (toolCallId === undefined) return undefined;
    const known = this.#calls.get(toolCallId);
    const before = known?.content ?? [];
    if (before.length >= MAX_ITEMS) return undefined;
    const content = [...before, update["content"]];
    const call = { content, meta: known?.meta, passedOn: known?.passedOn ?? 0 };
    // v1 has no chunks: the whole content is sent again. Later ones wait until it doubled, so that the
    // work stays linear.
    const isShort = this.#details && content.length <= SHORT_CONTENT;
    const isDue = isShort || content.length >= 2 * call.passedOn;
    if (isDue) call.passedOn = content.length;
    this.#calls.set(toolCallId, call);
    if (!isDue) return undefined;
    return known ? this.contentOf(toolCallId) : this.#created(toolCallId);
  }

  /** A v1 update with the content of a call, for example after its terminal printed more. */
  contentOf(toolCallId: string): JsonObject {
    const content = this.#content(toolCallId, this.#calls.get(toolCallId)?.content ?? []);
    return { sessionUpdate: "tool_call_update", toolCallId, content };
  }

  #created(toolCallId: string): JsonObject {
    return { ...this.contentOf(toolCallId), sessionUpdate: "tool_call", title: UNTITLED };
  }

  #texts(update: JsonObject, isNew: boolean): JsonObject {
    const { title, name, rawInput, rawOutput } = update;
    for (const value of [title, name, rawInput, rawOutput]) {
      if (value === null) this.#losses.add("tool-value-cleared");
    }
    const shown = title ?? (isNew ? (name ?? UNTITLED) : undefined);
    return {
      ...present("title", shown),
      ...present("name", name),
      ...present("rawInput", rawInput),
      ...present("rawOutput", rawOutput),
    };
  }

  #kind(kind: unknown): JsonObject {
    if (kind === undefined) return {};
    if (kind === null) return { kind: "other" };
    if (typeof kind === "string" && (this.#details || isToolKind(kind))) return { kind };
    this.#losses.add("tool-kind");
    return { kind: "other" };
  }

  #status(status: unknown): JsonObject {
    if (status === undefined) return {};
    if (status === null) return { status: "pending" };
    if (typeof status === "string" && isToolCallStatus(status)) return { status };
    if (status === "cancelled" && this.#details) return { status };
    this.#losses.add("tool-status");
    return { status: status === "cancelled" ? "failed" : "in_progress" };
  }

  /** The `_meta` of an update, with the values that v1 cannot express. */
  #metaWith(meta: JsonObject | undefined, update: JsonObject): JsonObject | undefined {
    const { status, kind } = update;
    const rawStatus = typeof status === "string" && !isToolCallStatus(status) ? { status } : {};
    const rawKind = typeof kind === "string" && !isToolKind(kind) ? { kind } : {};
    const raw = { ...rawStatus, ...rawKind };
    if (Object.keys(raw).length === 0) return meta;
    return { ...meta, [META_KEYS.raw]: raw };
  }

  /** The fields of v2 that v1 lacks, for a receiver that knows them. */
  #newFields(update: JsonObject): JsonObject {
    const { capabilities } = update;
    if (!this.#details) {
      if (isJsonObject(capabilities)) this.#losses.add("tool-cancel");
      return {};
    }
    const cleared = CLEARABLE.filter((key) => update[key] === null);
    return {
      ...(capabilities === undefined ? {} : { capabilities }),
      ...(cleared.length === 0 ? {} : { cleared }),
    };
  }

  #content(toolCallId: string, content: readonly unknown[]): readonly unknown[] {
    return content.flatMap((item) => this.#item(toolCallId, item));
  }

  #item(toolCallId: string, item: unknown): readonly unknown[] {
    if (!isJsonObject(item)) return [];
    switch (item["type"]) {
      case "content":
        return [item];
      case "diff": {
        const { items, isComplete } = diffToV1(item, this.#details);
        if (!isComplete) this.#losses.add("diff");
        return items;
      }
      case "terminal": {
        const terminalId = stringField(item, "terminalId");
        if (terminalId === undefined) return [];
        this.#losses.add("terminal");
        const text = this.#terminals.show(terminalId, toolCallId);
        const shown = { type: "content", content: { type: "text", text } };
        return [this.#details ? { ...shown, terminalId } : shown];
      }
      default:
        if (this.#details) return [item];
        this.#losses.add("content-kind");
        return [];
    }
  }
}

/** How many items of a tool call's content are kept. */
const MAX_ITEMS = 10_000;
const SHORT_CONTENT = 64;
const UNTITLED = "Tool call";
const CLEARABLE = ["title", "name", "rawInput", "rawOutput"];

function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function present(key: string, value: unknown): JsonObject {
  return value === undefined || value === null ? {} : { [key]: value };
}

function isFinal(status: unknown): boolean {
  return status === "completed" || status === "failed" || status === "cancelled";
}

/** In v2, the `_meta` of an update changes single keys: null removes one. */
function patchedMeta(current: JsonObject | undefined, patch: unknown): JsonObject | undefined {
  if (patch === undefined) return current;
  if (!isJsonObject(patch)) return undefined;
  const entries = Object.entries({ ...current, ...patch }).filter(([, value]) => value !== null);
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}
