/**
 * A peer's answer that breaks the protocol: well-formed JSON-RPC, but without what the method
 * promises. Names the field, so that the report can go to the peer's authors as it is.
 */
export class ProtocolViolation extends Error {
  override readonly name = "ProtocolViolation";
  readonly method: string;
  /** Where in the result, e.g. `sessions[2].cwd`; empty for the result itself. */
  readonly path: string;
  /** What the protocol has there, e.g. `a non-empty string`. */
  readonly expected: string;
  /** The value found there. */
  readonly received: unknown;

  constructor(method: string, path: string, expected: string, received: unknown) {
    const place = path === "" ? "the result" : `"${path}" in the result`;
    super(`${method}: ${place} should be ${expected}, but is ${describe(received)}`);
    this.method = method;
    this.path = path;
    this.expected = expected;
    this.received = received;
  }
}

const SHOWN_CHARACTERS = 60;

/** A short phrase for a JSON value, for messages. Never throws, never long. */
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
