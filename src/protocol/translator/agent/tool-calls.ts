import { isToolCallStatus, isToolKind, BoundedMap, weightOf } from "../../acp/index.ts";
import { isJsonObject, type JsonObject, stringField } from "../../../base/index.ts";
import type { LossCounter } from "../losses.ts";
import { META_KEYS } from "../methods.ts";
import { blockToV1 } from "../shapes/content.ts";
import { diffToV1 } from "../shapes/diff.ts";
import type { TerminalTexts } from "./terminals.ts";

/** A tool call as far as the agent described it. */
interface KnownToolCall {
  /** The content in its v2 form. It grows in place. */
  readonly content: unknown[];
  contentWeight: number;
  readonly meta: JsonObject | undefined;
  /** How many items of the content were passed on. */
  passedOn: number;
  /** Whether the `_meta` that was passed on last has a value that v1 cannot express. */
  readonly hasRaw: boolean;
}

const KEPT = { count: 1000, chars: 16 * 1024 * 1024 };

export class ToolCallsInV1 {
  readonly #calls = new BoundedMap<KnownToolCall>({
    ...KEPT,
    weigh: ({ contentWeight, meta }) => contentWeight + weightOf(meta),
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
    const isLate = isFinal(update["status"]) && known !== undefined && hasLateContent(known);
    const items = content === undefined ? (known?.content ?? []) : [...asList(content)];
    const isShown = content !== undefined || isLate;
    const patch = patchedMeta(known?.meta, update["_meta"]);
    const raw = rawValues(update);
    this.#calls.set(toolCallId, {
      content: items,
      contentWeight: content === undefined ? (known?.contentWeight ?? 0) : weightOf(content),
      meta: patch,
      passedOn: isShown ? items.length : (known?.passedOn ?? 0),
      hasRaw: raw !== undefined,
    });
    const isCleared = known !== undefined && (known.hasRaw || known.meta !== undefined);
    const meta = raw ? { ...patch, [META_KEYS.raw]: raw } : (patch ?? (isCleared ? {} : undefined));
    return {
      sessionUpdate: known ? "tool_call_update" : "tool_call",
      toolCallId,
      ...this.#texts(update, known === undefined),
      ...this.#kind(update["kind"]),
      ...this.#status(update["status"]),
      ...(isShown ? { content: this.#content(toolCallId, items) } : {}),
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
    const call: KnownToolCall = known ?? {
      content: [],
      contentWeight: 0,
      meta: undefined,
      passedOn: 0,
      hasRaw: false,
    };
    if (call.content.length >= MAX_ITEMS) return undefined;
    call.content.push(update["content"]);
    call.contentWeight += weightOf(update["content"]);
    // v1 has no chunks: the whole content is sent again whenever it has grown enough, so that the
    // traffic stays linear. The rest follows with the final status or the idle state.
    const { length } = call.content;
    const isDue = this.#details
      ? length - call.passedOn > call.passedOn / 8
      : length >= 2 * call.passedOn;
    if (isDue) call.passedOn = length;
    this.#calls.set(toolCallId, call);
    if (!isDue) return undefined;
    return known ? this.contentOf(toolCallId) : this.#created(toolCallId);
  }

  /** The calls with content that was not passed on. They count as passed on from here. */
  takeLate(): readonly string[] {
    const late = [...this.#calls].filter(([, call]) => hasLateContent(call));
    for (const [, call] of late) call.passedOn = call.content.length;
    return late.map(([id]) => id);
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
      case "content": {
        if (this.#details) return [item];
        const { block, isComplete } = blockToV1(item["content"]);
        if (!isComplete) this.#losses.add("content-kind");
        if (block === undefined) return [];
        return [block === item["content"] ? item : { ...item, content: block }];
      }
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

function hasLateContent({ content, passedOn }: KnownToolCall): boolean {
  return passedOn < content.length;
}

/** The status and kind of an update, as far as v1 cannot express them. */
function rawValues({ status, kind }: JsonObject): JsonObject | undefined {
  const rawStatus = typeof status === "string" && !isToolCallStatus(status) ? { status } : {};
  const rawKind = typeof kind === "string" && !isToolKind(kind) ? { kind } : {};
  const raw = { ...rawStatus, ...rawKind };
  return Object.keys(raw).length === 0 ? undefined : raw;
}

/** In v2, the `_meta` of an update changes single keys: null removes one. */
function patchedMeta(current: JsonObject | undefined, patch: unknown): JsonObject | undefined {
  if (patch === undefined) return current;
  if (!isJsonObject(patch)) return undefined;
  const entries = Object.entries({ ...current, ...patch }).filter(([, value]) => value !== null);
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}
