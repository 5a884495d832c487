import { isJsonObject, type JsonObject } from "../../base/index.ts";
import { lossOf, type SessionImport, type SessionLine } from "./imported.ts";

/** The list that "Copy All Messages" in Zed's ACP logs makes. Returns undefined for any other value. */
export function readZedMessages(value: unknown): SessionImport | undefined {
  if (!Array.isArray(value) || value.length === 0) return undefined;
  const items: readonly unknown[] = value;
  const entries: SessionLine[] = [];
  for (const item of items) {
    const entry = isJsonObject(item) ? entryOf(item) : undefined;
    if (entry) entries.push(entry);
  }
  if (entries.length === 0) return undefined;
  const unreadable = items.length - entries.length;
  return {
    header: { format: "zed", client: { name: "Zed" }, isTimed: false },
    entries,
    losses: [
      lossOf("times"),
      lossOf("errors"),
      lossOf("raw"),
      lossOf("stderr"),
      lossOf("decisions"),
      ...(unreadable > 0 ? [lossOf("unreadable", unreadable)] : []),
    ],
  };
}

function entryOf(item: JsonObject): SessionLine | undefined {
  const from = item["_direction"];
  if (from !== "incoming" && from !== "outgoing") return undefined;
  const message = messageOf(item);
  if (message === undefined) return undefined;
  return { ms: 0, direction: from === "incoming" ? "in" : "out", line: JSON.stringify(message) };
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
