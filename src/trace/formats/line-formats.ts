import {
  type JsonObject,
  bytesOf,
  numberField,
  stringField,
  isJsonObject,
  objectField,
} from "../../base/index.ts";
import {
  isRecordingHeader,
  RecordingError,
  toRecordingEntry,
  toRecordingHeader,
} from "../../transport/wire/index.ts";
import {
  directionIn,
  lossesOf,
  type SessionEntry,
  SessionFormatError,
  type SessionHeader,
  type LineFormat,
  type SessionLine,
} from "./format.ts";

/** Our own recordings, versions 1 and 2. Throws a SessionFormatError for a newer one. */
export const dragomanFormat: LineFormat = {
  matches: isRecordingHeader,
  open: (first) => {
    const header = headerOf(first);
    let isFirst = true;
    return {
      header,
      read: (value) => {
        if (!isFirst) return entryOf(value);
        isFirst = false;
        return undefined;
      },
      losses: () => (header.version === 1 ? lossesOf("stderr", "decisions") : []),
    };
  },
};

function headerOf(first: JsonObject): SessionHeader {
  try {
    const { version, startedAt, redacted, agent, client, cwd } = toRecordingHeader(first, 1);
    return { format: "dragoman", version, startedAt, redacted, agent, client, cwd, isTimed: true };
  } catch (error) {
    throw error instanceof RecordingError ? new SessionFormatError(error.message) : error;
  }
}

function entryOf(value: JsonObject): SessionEntry | "unreadable" {
  try {
    return toRecordingEntry(value, 0);
  } catch {
    return "unreadable";
  }
}

/**
 * The traces of sagikazarmark's inspector, version 1, and those of its bridge (`--trace-frames`), which have
 * neither a header nor times.
 */
export const acpInspectorFormat: LineFormat = {
  matches: (first) =>
    (first["type"] === "header" && first["format"] === "acp-inspector-trace") || isFrame(first),
  open: (first) => {
    const dropped = numberField(first, "dropped") ?? 0;
    const isBridge = isFrame(first);
    const isTimed = !isBridge || numberField(first, "at") !== undefined;
    let zero: number | undefined;
    let firstConnection: unknown;
    return {
      // The header says when the trace was saved; the first frame follows it.
      header: { format: "acp-inspector", version: numberField(first, "version"), isTimed },
      read: (value): SessionLine | "unreadable" | undefined => {
        if (value["type"] === "header") return undefined;
        const line = textOf(value);
        const direction = directionIn(value["direction"], "client -> agent", "agent -> client");
        if (line === undefined || direction === undefined) return "unreadable";
        const at = numberField(value, "at") ?? 0;
        zero ??= at;
        const { connection } = value;
        firstConnection ??= connection;
        const lane =
          connection === firstConnection ? undefined : `connection ${String(connection)}`;
        return { ms: at - zero, direction, line, ...(lane === undefined ? {} : { lane }) };
      },
      losses: () => lossesOf(!isTimed && "times", "stderr", "decisions", ["dropped", dropped]),
    };
  },
};

function isFrame(value: JsonObject): boolean {
  return typeof value["frame"] === "string" && typeof value["encoding"] === "string";
}

function textOf(value: JsonObject): string | undefined {
  const frame = stringField(value, "frame");
  if (frame === undefined || value["encoding"] !== "base64") return frame;
  return new TextDecoder().decode(bytesOf(frame));
}

const TYPES = new Set<unknown>(["request", "response", "notification"]);

/** The traces of the Rust SDK's conductor (`.jsons`), in which there may be proxies between the two ends. */
export const conductorFormat: LineFormat = {
  matches: (first) =>
    TYPES.has(first["type"]) &&
    typeof first["from"] === "string" &&
    typeof first["to"] === "string",
  open: () => {
    const parties = new Parties();
    let zero: number | undefined;
    return {
      header: { format: "conductor", isTimed: true },
      read: (value): SessionLine | "unreadable" => {
        const from = stringField(value, "from");
        const to = stringField(value, "to");
        const seconds = numberField(value, "ts");
        if (from === undefined || to === undefined || seconds === undefined) return "unreadable";
        if (!TYPES.has(value["type"])) return "unreadable";
        zero ??= seconds;
        const place = parties.place(from, to, value["protocol"] === "mcp");
        return { ms: roundMs((seconds - zero) * 1000), ...place, line: lineOf(value) };
      },
      losses: () => lossesOf("raw", "stderr", "decisions"),
    };
  },
};

function lineOf(value: JsonObject): string {
  const { type, id, method, params, payload } = value;
  const jsonrpc = "2.0";
  if (type === "response")
    return JSON.stringify(
      value["is_error"] === true
        ? { jsonrpc, id, error: payload }
        : { jsonrpc, id, result: payload },
    );
  return JSON.stringify(
    type === "request" ? { jsonrpc, id, method, params } : { jsonrpc, method, params },
  );
}

/** How far each party is from the client. A pair of neighbors is a lane. */
class Parties {
  readonly #others = new Map<string, number>();

  place(from: string, to: string, isMcp: boolean): Pick<SessionLine, "direction" | "lane"> {
    const isOut = this.#distance(from) < this.#distance(to);
    const direction = isOut ? "out" : "in";
    const pair = isOut ? [from, to] : [to, from];
    const name = pair.join(" - ");
    if (isMcp) return { direction, lane: `${name} (MCP)` };
    return name === "Client - Agent" ? { direction } : { direction, lane: name };
  }

  #distance(name: string): number {
    if (name === "Client") return 0;
    if (name === "Agent") return Infinity;
    const index = /^Proxy\((\d+)\)$/.exec(name)?.[1];
    if (index !== undefined) return 1 + Number(index);
    // A party of another name, such as an MCP server, is beyond those that were seen before it.
    const known = this.#others.get(name) ?? 1e6 + this.#others.size;
    this.#others.set(name, known);
    return known;
  }
}

const CLIENT_SPELLING = /^(?:from[-_ ]?client|client|c2a|c\s*->\s*a|client\s*->\s*agent)$/i;
const AGENT_SPELLING = /^(?:from[-_ ]?agent|agent|a2c|a\s*->\s*c|agent\s*->\s*client)$/i;

/** The logs of venikman's inspector: a time, a direction in one of many spellings, and the line. */
export const directionJsonFormat: LineFormat = {
  matches: (first) =>
    typeof first["ts"] === "string" &&
    typeof first["direction"] === "string" &&
    typeof first["json"] === "string",
  open: (first) => {
    const startedAt = stringField(first, "ts") ?? "";
    const zero = Date.parse(startedAt);
    return {
      header: { format: "direction-json", startedAt, isTimed: !Number.isNaN(zero) },
      read: (value): SessionLine | "unreadable" => {
        const line = stringField(value, "json");
        const direction = spelledDirection(stringField(value, "direction") ?? "");
        if (line === undefined || direction === undefined) return "unreadable";
        const ms = Date.parse(stringField(value, "ts") ?? "") - zero;
        return { ms: Number.isNaN(ms) ? 0 : ms, direction, line };
      },
      losses: () => lossesOf(Number.isNaN(zero) && "times", "stderr", "decisions"),
    };
  },
};

function spelledDirection(text: string): SessionLine["direction"] | undefined {
  if (CLIENT_SPELLING.test(text)) return "out";
  return AGENT_SPELLING.test(text) ? "in" : undefined;
}

/**
 * Our own captures of agents: `{ t, dir, msg }`, or `{ dir, frame }` without times. Some end with the agent's
 * stderr as a whole, and with its exit.
 */
export const agentFramesFormat: LineFormat = {
  matches: (first) =>
    directionIn(first["dir"], "c2a", "a2c") !== undefined && messageOf(first) !== undefined,
  open: (first) => {
    const isTimed = numberField(first, "t") !== undefined;
    let hasEvents = false;
    return {
      header: { format: "agent-frames", isTimed },
      read: (value): SessionEntry | "unreadable" => {
        const ms = numberField(value, "t") ?? 0;
        const text = stringField(value, "text");
        if (value["dir"] === "stderr" && text !== undefined) {
          hasEvents = true;
          return { ms, event: "stderr", text };
        }
        if (value["dir"] === "exit") {
          hasEvents = true;
          const code = numberField(value, "code") ?? null;
          return { ms, event: "exit", code, signal: stringField(value, "signal") ?? null };
        }
        const direction = directionIn(value["dir"], "c2a", "a2c");
        const line = messageOf(value);
        return direction && line !== undefined ? { ms, direction, line } : "unreadable";
      },
      losses: () => lossesOf(!isTimed && "times", "raw", !hasEvents && "stderr", "decisions"),
    };
  },
};

/** A line that is not JSON was captured as `raw`. */
function messageOf({ msg, frame, raw }: JsonObject): string | undefined {
  const message = msg ?? frame;
  if (isJsonObject(message) || Array.isArray(message)) return JSON.stringify(message);
  if (typeof message === "string") return message;
  return typeof raw === "string" ? raw : undefined;
}

/** The first line of `dragoman -o jsonl`. */
const SELECTED_AGENT = "client/selected_agent";

/** Bare JSON-RPC messages, one per line, such as `dragoman -o jsonl` prints. */
export const jsonLinesFormat: LineFormat = {
  matches: isMessage,
  open: (first) => {
    const guess = new DirectionGuess();
    const params = objectField(first, "params") ?? {};
    const name = first["method"] === SELECTED_AGENT ? stringField(params, "name") : undefined;
    const command = stringField(params, "command");
    return {
      header: {
        format: "json-lines",
        ...(name === undefined
          ? {}
          : { agent: { name, command: command === undefined ? [] : [command] } }),
        isTimed: false,
      },
      read: (value, text): SessionLine | "unreadable" | undefined => {
        if (value["method"] === SELECTED_AGENT) return undefined;
        if (!isMessage(value)) return "unreadable";
        return { ms: 0, direction: guess.take(value), line: text };
      },
      losses: () => lossesOf("times", "directions", "stderr", "decisions"),
    };
  },
};

/** Whether a value is a JSON-RPC message. Some agents leave out `jsonrpc`. */
function isMessage(value: JsonObject): boolean {
  if (typeof value["method"] === "string") return value["jsonrpc"] === "2.0" || "params" in value;
  return "id" in value && ("result" in value || "error" in value);
}

/** Methods that agents call. In v2 the client sends `terminal/cancel`. */
const FROM_AGENT =
  /^(?:session\/(?:update|request_permission)|fs\/.*|terminal\/(?!cancel$).*|elicitation\/.*|mcp\/.*|_?auth\/status_update)$/;

/** Finds out who sent a message: by its method, and for a response by the request with its id. */
class DirectionGuess {
  readonly #open = { in: new Set<unknown>(), out: new Set<unknown>() };

  take(message: JsonObject): "in" | "out" {
    const { method, id } = message;
    if (typeof method === "string") {
      const direction = FROM_AGENT.test(method) ? "in" : "out";
      if (id !== undefined) this.#open[direction].add(id);
      return direction;
    }
    // Both sides may use the same id. A response to the agent has one of few shapes.
    const isOfClient =
      this.#open.in.has(id) && (!this.#open.out.has(id) || isClientResult(message["result"]));
    this.#open[isOfClient ? "in" : "out"].delete(id);
    return isOfClient ? "out" : "in";
  }
}

const CLIENT_FIELDS = ["outcome", "content", "terminalId", "output", "action", "exitCode"];

function isClientResult(result: unknown): boolean {
  if (result === null) return true;
  return typeof result === "object" && CLIENT_FIELDS.some((field) => field in result);
}

/** Milliseconds, rounded to microseconds, so that fractions of seconds become plain numbers. */
function roundMs(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}
