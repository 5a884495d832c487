import {
  isJsonObject,
  numberField,
  objectField,
  objectsField,
  splitCommandLine,
  stringField,
  type JsonObject,
} from "../../base/index.ts";
import { directionIn, lossesOf, type SessionImport, type SessionLine } from "./format.ts";

/** The captures that acp-devtools exports, version 1. Returns undefined for any other value. */
export function readAcpDevtools(value: unknown): SessionImport | undefined {
  if (!isJsonObject(value)) return undefined;
  const tool = objectField(value, "tool");
  if (tool?.["name"] !== "acp-devtools") return undefined;
  const session = objectField(value, "session") ?? {};
  const messages = objectsField(value, "messages");
  const zero = messages[0] && numberField(messages[0], "timestamp");
  const entries: SessionLine[] = [];
  let isRedacted = false;
  let isRebuilt = false;
  let unreadable = 0;
  for (const message of messages) {
    const direction = directionIn(message["direction"], "editor-to-agent", "agent-to-editor");
    const raw = stringField(message, "raw");
    const line =
      raw ?? (isJsonObject(message["payload"]) ? JSON.stringify(message["payload"]) : "");
    if (direction === undefined || line === "") {
      unreadable++;
      continue;
    }
    isRebuilt ||= raw === undefined;
    isRedacted ||= line.includes("<REDACTED>");
    const ms = (numberField(message, "timestamp") ?? zero ?? 0) - (zero ?? 0);
    entries.push({ ms, direction, line });
  }
  const command = commandOf(stringField(session, "agentCommand") ?? "");
  const client = stringField(session, "clientName");
  return {
    header: {
      format: "acp-devtools",
      version: numberField(value, "version"),
      ...(zero === undefined ? {} : { startedAt: new Date(zero).toISOString() }),
      redacted: isRedacted || undefined,
      ...(command.length > 0 ? { agent: { name: nameOf(command), command } } : {}),
      ...(client === undefined ? {} : { client: { name: client } }),
      isTimed: zero !== undefined,
    },
    entries,
    losses: lossesOf(zero === undefined && "times", isRebuilt && "raw", "stderr", "decisions", [
      "unreadable",
      unreadable,
    ]),
  };
}

function commandOf(text: string): readonly string[] {
  try {
    return splitCommandLine(text);
  } catch {
    return [text];
  }
}

/** The program, without its folder; for a runner of packages, the package. */
function nameOf(command: readonly string[]): string {
  const words = command.filter((word) => !word.startsWith("-"));
  const [first = "", second] = words;
  const name = /^(?:npx|bunx|uvx)$/.test(first) ? (second ?? first) : first;
  return name.slice(name.lastIndexOf("/") + 1);
}

/** The list that "Copy All Messages" in Zed's ACP logs makes. Returns undefined for any other value. */
export function readZedMessages(value: unknown): SessionImport | undefined {
  if (!Array.isArray(value) || value.length === 0) return undefined;
  const items: readonly unknown[] = value;
  const entries = items.flatMap((item) => (isJsonObject(item) ? (entryOf(item) ?? []) : []));
  if (entries.length === 0) return undefined;
  const unreadable = items.length - entries.length;
  return {
    header: { format: "zed", client: { name: "Zed" }, isTimed: false },
    entries,
    losses: lossesOf("times", "errors", "raw", "stderr", "decisions", ["unreadable", unreadable]),
  };
}

function entryOf(item: JsonObject): SessionLine | undefined {
  const direction = directionIn(item["_direction"], "outgoing", "incoming");
  const message = messageOf(item);
  if (direction === undefined || message === undefined) return undefined;
  return { ms: 0, direction, line: JSON.stringify(message) };
}

function messageOf({ _type, id, method, params }: JsonObject): object | undefined {
  const jsonrpc = "2.0";
  switch (_type) {
    case "request":
      return { jsonrpc, id, method, params };
    case "notification":
      return { jsonrpc, method, params };
    case "response":
      return isError(params) ? { jsonrpc, id, error: params } : { jsonrpc, id, result: params };
    default:
      return undefined;
  }
}

function isError(value: unknown): boolean {
  return (
    isJsonObject(value) && typeof value["code"] === "number" && typeof value["message"] === "string"
  );
}
