import { asObject, type JsonObject } from "../../base/index.ts";
import {
  directionIn,
  lossesOf,
  SessionFormatError,
  type SessionImport,
  type SessionLine,
} from "./format.ts";

/**
 * The traffic that agent-shell saves, as Emacs Lisp prints it. Returns undefined for any other text. Throws a
 * SessionFormatError for damaged Lisp.
 */
export function readAgentShell(text: string): SessionImport | undefined {
  if (!/^\s*\(\s*\(\s*(?:#\d+=)?\(\s*:direction\b/.test(text)) return undefined;
  const root = readLisp(text);
  if (!isLispList(root)) throw new SessionFormatError("the traffic is not a list");
  const entries = root.items.flatMap((item) => entryOf(asObject(toJson(item))) ?? []);
  const unreadable = root.items.length - entries.length;
  return {
    header: { format: "agent-shell", client: { name: "agent-shell" }, isTimed: false },
    entries,
    losses: lossesOf("times", "ambiguous", "raw", "stderr", "decisions", [
      "unreadable",
      unreadable,
    ]),
  };
}

function entryOf(item: JsonObject): SessionLine | undefined {
  const direction = directionIn(item["direction"], "outgoing", "incoming");
  if (direction === undefined) return undefined;
  const message = { jsonrpc: "2.0", ...asObject(item["object"]) };
  return { ms: 0, direction, line: JSON.stringify(message) };
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

/** A symbol or keyword of Lisp, such as `jsonrpc` or `:direction`. */
interface LispSymbol {
  readonly symbol: string;
}

/** A list that ends in a value instead of nil: `(a . b)` is a pair of one item and a tail. */
interface LispList {
  readonly items: readonly LispValue[];
  readonly tail: LispValue | undefined;
}

type LispValue =
  | string
  | number
  | LispSymbol
  | LispList
  | { readonly vector: readonly LispValue[] };

/** Deeper values would overflow the stack. */
const MAX_DEPTH = 1000;

/** Reads one value that Emacs Lisp printed. Throws a SessionFormatError. */
function readLisp(text: string): LispValue {
  return new LispReader(text).value(0);
}

class LispReader {
  readonly #text: string;
  readonly #labels = new Map<string, LispValue>();
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  value(depth: number): LispValue {
    if (depth > MAX_DEPTH) throw this.#error("is nested too deeply");
    this.#skip();
    const char = this.#text[this.#at];
    if (char === undefined) throw this.#error("ends too early");
    if (char === '"') return this.#string();
    if (char === "(") return this.#list(depth);
    if (char === "[") return { vector: this.#items("]", depth).items };
    if (char === "#") return this.#label(depth);
    return this.#atom();
  }

  #list(depth: number): LispValue {
    const { items, tail } = this.#items(")", depth);
    return items.length === 0 && tail === undefined ? { symbol: "nil" } : { items, tail };
  }

  #items(end: string, depth: number): LispList {
    this.#at++;
    const items: LispValue[] = [];
    let tail: LispValue | undefined;
    for (;;) {
      this.#skip();
      const char = this.#text[this.#at];
      if (char === undefined) throw this.#error("ends too early");
      if (char === end) {
        this.#at++;
        return { items, tail };
      }
      if (char === "." && /[\s(]/.test(this.#text[this.#at + 1] ?? "")) {
        this.#at++;
        tail = this.value(depth + 1);
      } else items.push(this.value(depth + 1));
    }
  }

  /** `#1=VALUE` names a value, and `#1#` repeats it. `#s(...)` and others are not expected. */
  #label(depth: number): LispValue {
    const match = /^#(\d+)([=#])/.exec(this.#text.slice(this.#at, this.#at + 20));
    if (!match) throw this.#error("has an unknown # form");
    this.#at += match[0].length;
    const [, name = "", kind] = match;
    if (kind === "=") {
      const value = this.value(depth + 1);
      this.#labels.set(name, value);
      return value;
    }
    const known = this.#labels.get(name);
    if (known === undefined) throw this.#error(`repeats an unknown value #${name}#`);
    return known;
  }

  #string(): string {
    let text = "";
    let from = ++this.#at;
    for (;;) {
      const char = this.#text[this.#at];
      if (char === undefined) throw this.#error("has a string without an end");
      if (char === '"') break;
      if (char === "\\") {
        text += this.#text.slice(from, this.#at);
        const escaped = this.#text[this.#at + 1] ?? "";
        text += ESCAPES.get(escaped) ?? escaped;
        this.#at += 2;
        from = this.#at;
      } else this.#at++;
    }
    text += this.#text.slice(from, this.#at++);
    return text;
  }

  #atom(): LispValue {
    ATOM.lastIndex = this.#at;
    const text = ATOM.exec(this.#text)?.[0] ?? "";
    if (text === "") throw this.#error("has an unexpected character");
    this.#at += text.length;
    return /^[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?$/i.test(text)
      ? Number(text)
      : { symbol: text.replaceAll(/\\(.)/g, "$1") };
  }

  #skip(): void {
    SPACE.lastIndex = this.#at;
    SPACE.exec(this.#text);
    this.#at = SPACE.lastIndex;
  }

  #error(problem: string): SessionFormatError {
    return new SessionFormatError(`the Lisp text ${problem}, at character ${this.#at + 1}`);
  }
}

const SPACE = /(?:\s|;[^\n]*)*/y;
const ATOM = /(?:\\.|[^\s()[\]"';])+/y;
const ESCAPES: ReadonlyMap<string, string> = new Map([
  ["n", "\n"],
  ["t", "\t"],
  ["r", "\r"],
  ["e", "\u001B"],
  ["a", "\u0007"],
  ["\n", ""],
]);
