import {
  type CheckedSide,
  describedFields,
  requirementsById,
  SessionJudge,
} from "../../conformance/index.ts";
import { isJsonObject } from "../../base/index.ts";
import { type SessionEntry, SessionModel, type TracedFrame } from "../../trace/index.ts";

/** A place where a side broke a rule of the protocol. */
export interface Finding {
  /** The id of the requirement, as `dragoman check` names it. */
  readonly rule: string;
  /** `error` for what the protocol demands, `note` for what is only recommended or worth a look. */
  readonly severity: "error" | "note";
  /** The side that broke the rule. */
  readonly side: CheckedSide;
  readonly requirement: string;
  /** The page and section of the specification; empty if no page has it. */
  readonly source: string;
  /** The event that broke the rule. */
  readonly message: string;
  /** The deciding frames, counted from 1. */
  readonly frames: readonly number[];
}

export function findingsJson(findings: readonly Finding[]): string {
  return `${JSON.stringify({ v: 1, findings })}\n`;
}

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

/** Everything that the rules and the schema say about a session, while it is read. */
export class SessionFindings {
  readonly model = new SessionModel();
  readonly #judge = new SessionJudge(this.model);
  readonly #kinds = new Map<string, { frames: number; readonly fields: Map<string, string> }>();

  /** Everything found so far, in the order of the first deciding frames. */
  get list(): readonly Finding[] {
    return this.#judge.connections
      .flatMap(({ protocol, judge }) =>
        judge.violations.map(({ id, side, actual: message, frames, level }): Finding => {
          const known = requirementsById(protocol).get(id);
          const severity = (level ?? known?.level) === "MUST" ? "error" : "note";
          const { title = id, source = "" } = known ?? {};
          return { rule: id, severity, side, requirement: title, source, message, frames };
        }),
      )
      .toSorted((a, b) => firstOf(a) - firstOf(b));
  }

  /** The descriptions of the fields seen so far. */
  get fields(): SessionFields {
    return Object.fromEntries(
      [...this.#kinds].map(([kind, { fields }]) => [kind, Object.fromEntries(fields)]),
    );
  }

  add(entry: SessionEntry): void {
    const frame = this.model.append(entry);
    if (!frame) return;
    this.#judge.saw(frame);
    this.#describe(frame);
  }

  /** Judges what only the end of a recording shows. Call it once. */
  finish(): void {
    this.#judge.finish();
  }

  #describe({ row, lane, method, message, value }: TracedFrame): void {
    if (method === "" || !isJsonObject(value)) return;
    const { frames, lanes } = this.model;
    const name = `${method} ${frames.kind(row)} ${frames.update(row)}`;
    const known = this.#kinds.get(name);
    if (known && known.frames >= MOST_FRAMES) return;
    const version = lanes.find((each) => each.name === lane)?.protocolVersion ?? 1;
    const part = message.kind === "result" ? "result" : "params";
    const found = describedFields(method, part, value[part], version >= 2 ? 2 : 1);
    if (found.size === 0) return;
    const all = known ?? { frames: 0, fields: new Map<string, string>(Object.entries(ROOT)) };
    this.#kinds.set(name, all);
    all.frames++;
    for (const [path, text] of found) all.fields.set(path, text);
  }
}

function firstOf({ frames }: Finding): number {
  return Math.min(...frames, Number.POSITIVE_INFINITY);
}
