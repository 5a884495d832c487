import { asObject, type JsonObject, stringField } from "../../base/index.ts";
import { lossOf, SessionFormatError, type SessionImport, type SessionLine } from "./imported.ts";
import { type LispList, type LispValue, readLisp } from "./lisp.ts";

/**
 * The traffic that agent-shell saves, as Emacs Lisp prints it. Returns undefined for any other text. Throws a
 * SessionFormatError for damaged Lisp.
 */
export function readAgentShell(text: string): SessionImport | undefined {
  if (!/^\s*\(\s*\(\s*(?:#\d+=)?\(\s*:direction\b/.test(text)) return undefined;
  const root = readLisp(text);
  if (!isLispList(root)) throw new SessionFormatError("the traffic is not a list");
  const entries: SessionLine[] = [];
  for (const item of root.items) {
    const entry = entryOf(asObject(toJson(item)));
    if (entry) entries.push(entry);
  }
  const unreadable = root.items.length - entries.length;
  return {
    header: { format: "agent-shell", client: { name: "agent-shell" }, isTimed: false },
    entries,
    losses: [
      lossOf("times"),
      lossOf("ambiguous"),
      lossOf("raw"),
      lossOf("stderr"),
      lossOf("decisions"),
      ...(unreadable > 0 ? [lossOf("unreadable", unreadable)] : []),
    ],
  };
}

function entryOf(item: JsonObject): SessionLine | undefined {
  const direction = stringField(item, "direction");
  if (direction !== "incoming" && direction !== "outgoing") return undefined;
  const object = asObject(item["object"]);
  const message = { jsonrpc: "2.0", ...object };
  return {
    ms: 0,
    direction: direction === "incoming" ? "in" : "out",
    line: JSON.stringify(message),
  };
}

/**
 * An association list becomes an object and a vector a list. `nil` stands for false, null, and an empty
 * object; null is the value that readers of messages accept for most of them.
 */
function toJson(value: LispValue): unknown {
  if (typeof value === "string" || typeof value === "number") return value;
  if ("vector" in value) return value.vector.map(toJson);
  if ("symbol" in value) return symbolValue(value.symbol);
  const pairs = value.items.map(pairOf);
  if (pairs.every((pair) => pair !== undefined)) return Object.fromEntries(pairs);
  return value.items.map(toJson);
}

function symbolValue(symbol: string): unknown {
  if (symbol === "t") return true;
  if (symbol === ":false" || symbol === ":json-false") return false;
  if (symbol === "nil" || symbol === ":null") return null;
  return symbol;
}

/** `(key . value)` and `(key item item)`, which Lisp prints for a key whose value is a list. */
function pairOf(item: LispValue): [string, unknown] | undefined {
  if (!isLispList(item)) return undefined;
  const [key, ...rest] = item.items;
  if (typeof key !== "object" || !("symbol" in key)) return undefined;
  const name = key.symbol.replace(/^:/, "");
  if (item.tail !== undefined && rest.length === 0) return [name, toJson(item.tail)];
  if (rest.length === 0) return [name, null];
  return [name, toJson({ items: rest, tail: item.tail })];
}

function isLispList(value: LispValue): value is LispList {
  return typeof value === "object" && "items" in value;
}
