import { objectField, stringField, type JsonObject } from "../../base/index.ts";
import { lossOf, type SessionLine } from "./imported.ts";
import type { LineFormat } from "./line-format.ts";

/** The first line of `dragoman -o jsonl`. */
const SELECTED_AGENT = "client/selected_agent";

/** Bare JSON-RPC messages, one per line, such as `dragoman -o jsonl` prints. */
export const jsonLinesFormat: LineFormat = {
  matches: isMessage,
  open: (first) => {
    const guess = new DirectionGuess();
    const params = objectField(first, "params") ?? {};
    const name = first["method"] === SELECTED_AGENT ? stringField(params, "name") : undefined;
    const command = stringField(params, "command");
    return {
      header: {
        format: "json-lines",
        ...(name === undefined
          ? {}
          : { agent: { name, command: command === undefined ? [] : [command] } }),
        isTimed: false,
      },
      read: (value, text): SessionLine | "unreadable" | undefined => {
        if (value["method"] === SELECTED_AGENT) return undefined;
        if (!isMessage(value)) return "unreadable";
        return { ms: 0, direction: guess.take(value), line: text };
      },
      losses: () => [lossOf("times"), lossOf("directions"), lossOf("stderr"), lossOf("decisions")],
    };
  },
};

/** Whether a value is a JSON-RPC message. Some agents leave out `jsonrpc`. */
export function isMessage(value: JsonObject): boolean {
  if (typeof value["method"] === "string") return value["jsonrpc"] === "2.0" || "params" in value;
  return "id" in value && ("result" in value || "error" in value);
}

/** Methods that agents call. In v2 the client sends `terminal/cancel`. */
const FROM_AGENT =
  /^(?:session\/(?:update|request_permission)|fs\/.*|terminal\/(?!cancel$).*|elicitation\/.*|mcp\/.*|_?auth\/status_update)$/;

/** Finds out who sent a message: by its method, and for a response by the request with its id. */
class DirectionGuess {
  readonly #open = { in: new Set<unknown>(), out: new Set<unknown>() };

  take(message: JsonObject): "in" | "out" {
    const { method, id } = message;
    if (typeof method === "string") {
      const direction = FROM_AGENT.test(method) ? "in" : "out";
      if (id !== undefined) this.#open[direction].add(id);
      return direction;
    }
    // Both sides may use the same id. A response to the agent has one of few shapes.
    const isOfClient =
      this.#open.in.has(id) && (!this.#open.out.has(id) || isClientResult(message["result"]));
    this.#open[isOfClient ? "in" : "out"].delete(id);
    return isOfClient ? "out" : "in";
  }
}

const CLIENT_FIELDS = ["outcome", "content", "terminalId", "output", "action", "exitCode"];

function isClientResult(result: unknown): boolean {
  if (result === null) return true;
  return typeof result === "object" && CLIENT_FIELDS.some((field) => field in result);
}
