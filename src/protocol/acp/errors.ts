import { DragomanError } from "../../base/index.ts";
/**
 * A peer's response breaks the protocol: it is well-formed JSON-RPC, but not what the method promises.
 * The message names the field, so that it can be reported to the peer's authors as it is.
 */
export class ProtocolViolation extends DragomanError {
  override readonly name = "ProtocolViolation";
  readonly method: string;
  /** Path within the result, such as `sessions[2].cwd`; empty for the result itself. */
  readonly path: string;
  /** The value that the protocol requires there, such as `a non-empty string`. */
  readonly expected: string;
  /** The value found there. */
  readonly received: unknown;

  /** Describes a value in the result of a method, and the value that belongs there. */
  constructor(method: string, path: string, expected: string, received: unknown) {
    const subject = path === "" ? "the result" : `"${path}" in the result`;
    super("protocol", `${method}: ${subject} should be ${expected}, but is ${describe(received)}`);
    this.method = method;
    this.path = path;
    this.expected = expected;
    this.received = received;
  }
}

const SHOWN_CHARACTERS = 60;

/** A short description of a JSON value for messages. Never throws. */
export function describe(value: unknown): string {
  if (value === undefined) return "missing";
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  if (typeof value === "object") return "an object";
  if (typeof value === "string") {
    const shown = value.length > SHOWN_CHARACTERS ? `${value.slice(0, SHOWN_CHARACTERS)}…` : value;
    return `the string ${JSON.stringify(shown)}`;
  }
  if (typeof value === "number" || typeof value === "boolean") {
    return `the ${typeof value} ${value}`;
  }
  return `a ${typeof value}`;
}
