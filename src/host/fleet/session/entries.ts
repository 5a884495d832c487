import {
  asObject,
  type JsonObject,
  numberField,
  objectField,
  objectsField,
  parseJsonObject,
  stringField,
} from "../../../base/index.ts";

/** Why a turn has no result. */
export interface TurnFailure {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** The codes of a turn that a fleet ended by itself. */
export const TURN_CODES = {
  /** The worker or the agent ended during the turn: parts of the prompt may have been done. */
  outcomeUnknown: -32005,
  /** The prompt was accepted and never sent to the agent. It can be sent again. */
  notRun: -32006,
} as const;

/** One entry of a session's log, as a worker writes it. */
export type FleetEntry =
  /** A worker took the session over. All entries after it are its own. */
  | { readonly type: "takeover"; readonly host: string }
  /** The agent opened the session. */
  | {
      readonly type: "opened";
      /** The method that opened it: `session/new`, `session/load` or `session/resume`. */
      readonly method: string;
      /** The agent's answer, without its session id. */
      readonly result: JsonObject;
    }
  /** The agent sent a `session/update`. */
  | {
      readonly type: "update";
      /** Its parameters. `sessionId` is left out where it is the session's own. */
      readonly params: JsonObject;
    }
  /** The agent sent another notification about the session. */
  | { readonly type: "notification"; readonly method: string; readonly params: JsonObject }
  /** The worker accepted a prompt. */
  | {
      readonly type: "prompt";
      readonly id: string;
      /** Who sent it. */
      readonly by: string;
      /** The content blocks. */
      readonly prompt: readonly JsonObject[];
    }
  /** The worker is about to send the prompt to the agent. From here on it must not be sent again. */
  | { readonly type: "turn_started"; readonly id: string }
  /** A prompt has ended. */
  | {
      readonly type: "turn_ended";
      readonly id: string;
      /** The agent's answer, with its `stopReason`; undefined if there is an error. */
      readonly result?: JsonObject | undefined;
      readonly error?: TurnFailure | undefined;
    }
  /** The agent asks its clients something. */
  | {
      readonly type: "question";
      readonly id: string;
      readonly method: string;
      readonly params: JsonObject;
    }
  /** A question was answered or withdrawn. */
  | {
      readonly type: "question_closed";
      readonly id: string;
      /** Who answered; undefined if no client did. */
      readonly by?: string | undefined;
      /** The answer that the agent got; undefined if the question was withdrawn. */
      readonly result?: JsonObject | undefined;
    }
  /** An entry of a newer version. */
  | { readonly type: "unknown"; readonly raw: unknown };

/** The end of a prompt in a log. */
export type LoggedTurnEnd = Extract<FleetEntry, { type: "turn_ended" }>;

export function writeEntry(entry: FleetEntry): string {
  return JSON.stringify(entry.type === "unknown" ? entry.raw : entry);
}

/** Pure: reads an entry. An entry that this version does not know becomes `unknown`. */
export function readEntry(text: string): FleetEntry {
  const raw = parseJsonObject(text);
  return raw ? parseEntry(raw) : { type: "unknown", raw: text };
}

/** Pure: an entry from its JSON. An unknown one that was read before stays as it is. */
export function parseEntry(raw: JsonObject): FleetEntry {
  return known(raw) ?? { type: "unknown", raw: raw["type"] === "unknown" ? raw["raw"] : raw };
}

function known(raw: JsonObject): FleetEntry | undefined {
  const id = stringField(raw, "id");
  const method = stringField(raw, "method");
  const params = objectField(raw, "params");
  switch (raw["type"]) {
    case "takeover":
      return { type: "takeover", host: stringField(raw, "host") ?? "" };
    case "opened":
      return { type: "opened", method: method ?? "", result: asObject(raw["result"]) };
    case "update":
      return params && { type: "update", params };
    case "notification":
      return params && method !== undefined ? { type: "notification", method, params } : undefined;
    case "prompt":
      return id === undefined ? undefined : readPrompt(raw, id);
    case "turn_started":
      return id === undefined ? undefined : { type: "turn_started", id };
    case "turn_ended":
      return id === undefined ? undefined : readEnd(raw, id);
    case "question":
      if (id === undefined || method === undefined || !params) return undefined;
      return { type: "question", id, method, params };
    case "question_closed":
      if (id === undefined) return undefined;
      return {
        type: "question_closed",
        id,
        by: stringField(raw, "by"),
        result: objectField(raw, "result"),
      };
    default:
      return undefined;
  }
}

function readPrompt(raw: JsonObject, id: string): FleetEntry {
  const prompt = objectsField(raw, "prompt");
  return { type: "prompt", id, by: stringField(raw, "by") ?? "", prompt };
}

function readEnd(raw: JsonObject, id: string): FleetEntry {
  const error = objectField(raw, "error");
  if (!error) return { type: "turn_ended", id, result: asObject(raw["result"]) };
  const code = numberField(error, "code") ?? 0;
  const message = stringField(error, "message") ?? "";
  return { type: "turn_ended", id, error: { code, message, data: error["data"] } };
}

/** How many ids of prompts are remembered, so that none is accepted twice. */
const KEPT_PROMPTS = 1000;

/** The end of a prompt whose worker is gone. */
export const OUTCOME_UNKNOWN: TurnFailure = {
  code: TURN_CODES.outcomeUnknown,
  message:
    "The worker of this session ended. The outcome of the prompt is unknown: parts of it may have been done.",
  data: { reason: "worker_ended" },
};

/** The end of a prompt that no agent got. */
export const NOT_RUN: TurnFailure = {
  code: TURN_CODES.notRun,
  message: "The worker of this session ended before it ran the prompt. Send it again.",
  data: { reason: "worker_ended" },
};

/** Adds an id to those of the newest prompts. */
export function remember(prompts: Set<string>, id: string): void {
  prompts.add(id);
  const [oldest] = prompts.size > KEPT_PROMPTS ? prompts : [];
  if (oldest !== undefined) prompts.delete(oldest);
}

/** The pieces of text that agents send token by token. */
const TEXT_UPDATES: ReadonlySet<unknown> = new Set(["agent_message_chunk", "agent_thought_chunk"]);

/** A piece of text that can grow. */
interface TextChunk {
  /** Equal for pieces that belong together. */
  readonly key: string;
  readonly text: string;
}

/** Pure: two pieces of one text as one; undefined for anything else, such as pieces with metadata. */
export function coalesced(one: FleetEntry, other: FleetEntry): FleetEntry | undefined {
  const first = chunkOf(one);
  const second = first && chunkOf(other);
  if (!second || first.key !== second.key || one.type !== "update") return undefined;
  const update = { ...objectField(one.params, "update") };
  const content = { ...objectField(update, "content"), text: first.text + second.text };
  return { type: "update", params: { ...one.params, update: { ...update, content } } };
}

/** Pure: whether an entry is a piece of text, and how long it is. */
export function chunkLength(entry: FleetEntry): number | undefined {
  return chunkOf(entry)?.text.length;
}

function chunkOf(entry: FleetEntry): TextChunk | undefined {
  if (entry.type !== "update") return undefined;
  const update = objectField(entry.params, "update");
  if (!update || !TEXT_UPDATES.has(update["sessionUpdate"])) return undefined;
  const content = objectField(update, "content");
  const text = content && stringField(content, "text");
  if (!content || text === undefined || content["type"] !== "text") return undefined;
  if (!hasOnly(content, ["type", "text"])) return undefined;
  if (!hasOnly(update, ["sessionUpdate", "content", "messageId"])) return undefined;
  if (!hasOnly(entry.params, ["update", "sessionId"])) return undefined;
  const parts = [update["sessionUpdate"], update["messageId"], entry.params["sessionId"]];
  return { key: JSON.stringify(parts.map((part) => part ?? null)), text };
}

function hasOnly(object: JsonObject, keys: readonly string[]): boolean {
  return Object.keys(object).every((key) => keys.includes(key));
}
