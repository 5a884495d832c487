import { isJsonObject } from "../../../base/index.ts";
import { describedFields } from "../../../conformance/index.ts";
import type { SessionModel, TracedFrame } from "../../../trace/index.ts";

/**
 * The fields that the schema declares, by the kind of frame, such as `session/update notification plan`, and then
 * by path, each with the schema's sentence about it.
 */
export type SessionFields = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** Frames of one kind that are looked at: the first ones have nearly all fields. */
const MOST_FRAMES = 20;
const ROOT = {
  ".jsonrpc": "The version of JSON-RPC.",
  ".id": "Connects a response with its request.",
  ".method": "The method to call.",
  ".params": "The arguments of the method.",
  ".result": "The result of the request.",
  ".error": "Why the request failed.",
  ".error.code": "The number of the error.",
  ".error.message": "A short description of the error.",
  ".error.data": "More about the error.",
} as const;

/** Collects the descriptions of the fields that a session uses. */
export class FieldCollector {
  readonly #model: SessionModel;
  readonly #kinds = new Map<string, { frames: number; readonly fields: Map<string, string> }>();

  constructor(model: SessionModel) {
    this.#model = model;
  }

  get fields(): SessionFields {
    return Object.fromEntries(
      [...this.#kinds].map(([kind, { fields }]) => [kind, Object.fromEntries(fields)]),
    );
  }

  /** Looks at a frame. */
  saw({ row, lane, method, message, value }: TracedFrame): void {
    if (method === "" || !isJsonObject(value)) return;
    const model = this.#model;
    const name = `${method} ${model.frames.kind(row)} ${model.frames.update(row)}`;
    const known = this.#kinds.get(name);
    if (known && known.frames >= MOST_FRAMES) return;
    const version = model.lanes.find((each) => each.name === lane)?.protocolVersion ?? 1;
    const part = message.kind === "result" ? "result" : "params";
    const found = describedFields(method, part, value[part], version >= 2 ? 2 : 1);
    if (found.size === 0) return;
    const all = known ?? { frames: 0, fields: new Map<string, string>(Object.entries(ROOT)) };
    this.#kinds.set(name, all);
    all.frames++;
    for (const [path, text] of found) all.fields.set(path, text);
  }
}
