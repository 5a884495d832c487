import { SEQ_META } from "../../../client/index.ts";
import { parseFrame } from "../../../base/index.ts";
import { memberSpan, splice } from "./span.ts";

/** Adds the position to the `_meta` of a notification's parameters. Everything else stays as it is. */
export function withSeq(line: string, seq: number): string {
  const member = `${JSON.stringify(SEQ_META)}:${seq}`;
  const params = memberSpan(line, "params");
  if (!params || line[params.start] !== "{") return line;
  const meta = memberSpan(line, "_meta", params.start);
  if (meta && line[meta.start] === "{") return insertMember(line, meta.start, member);
  const whole = `"_meta":{${member}}`;
  return meta ? splice(line, meta, `{${member}}`) : insertMember(line, params.start, whole);
}

/** Inserts a member at the start of the object at `at`. */
function insertMember(line: string, at: number, member: string): string {
  const isEmpty = /^\{\s*\}/.test(line.slice(at, at + 64));
  return splice(line, { start: at + 1, end: at + 1 }, isEmpty ? member : `${member},`);
}

/** Whether a client asked for positions in its `initialize`. */
export function asksForSeq(initialize: string): boolean {
  return metaFlag(initialize, SEQ_META);
}

/** Whether a flag is set in the `_meta` of a request's parameters. */
export function metaFlag(line: string, key: string): boolean {
  const params = parseFrame(line)?.["params"];
  return valueAt(valueAt(params, "_meta"), key) === true;
}

function valueAt(value: unknown, key: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined;
}
