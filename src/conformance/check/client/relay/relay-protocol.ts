import { numberField, objectField, parseJsonObject, stringField } from "../../../../base/index.ts";

/** Messages from the checking agent's process to the checker. Bytes are in base64. */
export type FromRelay =
  /** The first message. */
  | { readonly type: "hello"; readonly pid: number; readonly cwd: string }
  /** Bytes that the client wrote to the agent's stdin. */
  | { readonly type: "input"; readonly bytes: string }
  /** The client closed the agent's stdin. */
  | { readonly type: "end" }
  /** The agent was sent a signal. */
  | { readonly type: "signal"; readonly signal: string }
  /** The answer to an order: it was carried out. */
  | { readonly type: "done"; readonly order: number; readonly pids?: readonly number[] };

/** Something that the agent's process shall do. */
export type RelayAction =
  /** Write to stdout. */
  | { readonly type: "write"; readonly bytes: string }
  /** Write to stderr. */
  | { readonly type: "complain"; readonly bytes: string }
  /** Close stdout, and stay alive. */
  | { readonly type: "closeOutput" }
  /** Stop reading stdin. */
  | { readonly type: "stopReading" }
  /** Ignore the end of stdin and all signals that can be ignored. */
  | { readonly type: "holdOn" }
  /** Start a child that starts a child, the second in a session of its own. */
  | { readonly type: "startChildren" }
  /** End with this code. */
  | { readonly type: "exit"; readonly code: number }
  /** End by this signal. */
  | { readonly type: "die"; readonly signal: NodeJS.Signals };

/** An action with the number that its answer carries. */
export interface RelayOrder {
  readonly order: number;
  readonly action: RelayAction;
}

/** Reads a line from the agent's process. Returns undefined if it is not a message. */
export function parseFromRelay(line: string): FromRelay | undefined {
  const message = parseJsonObject(line);
  if (!message) return undefined;
  switch (message["type"]) {
    case "hello":
      return {
        type: "hello",
        pid: numberField(message, "pid") ?? 0,
        cwd: stringField(message, "cwd") ?? "",
      };
    case "input":
      return { type: "input", bytes: stringField(message, "bytes") ?? "" };
    case "end":
      return { type: "end" };
    case "signal":
      return { type: "signal", signal: stringField(message, "signal") ?? "" };
    case "done": {
      const { pids } = message;
      const order = numberField(message, "order") ?? 0;
      if (!Array.isArray(pids)) return { type: "done", order };
      return { type: "done", order, pids: pids.filter((pid) => typeof pid === "number") };
    }
    default:
      return undefined;
  }
}

/** Reads a line from the checker. Returns undefined if it is not an order. */
export function parseOrder(line: string): RelayOrder | undefined {
  const message = parseJsonObject(line);
  if (!message) return undefined;
  const order = numberField(message, "order");
  const action = objectField(message, "action");
  if (order === undefined || action === undefined) return undefined;
  const parsed = parseAction(stringField(action, "type"), action);
  return parsed && { order, action: parsed };
}

function parseAction(
  type: string | undefined,
  action: Readonly<Record<string, unknown>>,
): RelayAction | undefined {
  switch (type) {
    case "write":
    case "complain":
      return { type, bytes: stringField(action, "bytes") ?? "" };
    case "closeOutput":
    case "stopReading":
    case "holdOn":
    case "startChildren":
      return { type };
    case "exit":
      return { type, code: numberField(action, "code") ?? 0 };
    case "die":
      return { type, signal: action["signal"] === "SIGKILL" ? "SIGKILL" : "SIGTERM" };
    default:
      return undefined;
  }
}
