import { classifyMessage, type Message } from "../../rpc/index.ts";
import { isJsonObject, type JsonObject, parseFrame, stringField } from "../../wire/index.ts";
import { memberSpan, type Span } from "./span.ts";

/**
 * A message with the text that it was received as. The hub passes the text on and replaces only the id,
 * because parsing and writing it again would change large numbers and the order of keys.
 */
export type RelayedMessage =
  | {
      readonly kind: "request";
      readonly line: string;
      /** Where the id stands in the line. */
      readonly id: Span;
      readonly method: string;
      readonly params: JsonObject;
      readonly sessionId: string | undefined;
    }
  | {
      readonly kind: "notification";
      readonly line: string;
      readonly method: string;
      readonly sessionId: string | undefined;
      /** The kind of a `session/update`; undefined if it was not looked up. */
      readonly update: string | undefined;
    }
  | { readonly kind: "response"; readonly line: string; readonly id: Span }
  | { readonly kind: "invalid"; readonly line: string; readonly id: Span | undefined };

/** The form in which nearly all agents write updates. */
const UPDATE =
  /^\{"jsonrpc":"2\.0","method":"session\/update","params":\{"sessionId":"([^"\\]+)","update":\{"sessionUpdate":"(\w+)"/;
/** The form in which nearly all programs write responses. */
const RESPONSE = /^\{"jsonrpc":"2\.0","id":(\d+|"[^"\\]*"),"(?:result|error)":/;
const ID_START = '{"jsonrpc":"2.0","id":'.length;

/**
 * Reads a line of an agent. Lines in the usual form are not parsed, because most of the traffic is
 * updates that the hub only passes on.
 */
export function readAgentLine(line: string): RelayedMessage {
  const update = line.endsWith("}}") ? UPDATE.exec(line) : null;
  if (update) {
    const [, sessionId, kind] = update;
    return { kind: "notification", line, method: "session/update", sessionId, update: kind };
  }
  const response = RESPONSE.exec(line);
  if (response) {
    const end = ID_START + (response[1]?.length ?? 0);
    return { kind: "response", line, id: { start: ID_START, end } };
  }
  return readLine(line);
}

/** Reads a line by parsing it. */
export function readLine(line: string): RelayedMessage {
  const frame = parseFrame(line);
  if (!frame) return { kind: "invalid", line, id: undefined };
  const message = classifyMessage(frame);
  const id = memberSpan(line, "id");
  return relayed(line, message, id);
}

function relayed(line: string, message: Message, id: Span | undefined): RelayedMessage {
  switch (message.kind) {
    case "request": {
      if (!id) return { kind: "invalid", line, id };
      const { method } = message;
      const params = paramsOf(message.params);
      return { kind: "request", line, id, method, params, sessionId: sessionOf(params) };
    }
    case "notification": {
      const { method } = message;
      const params = paramsOf(message.params);
      return {
        kind: "notification",
        line,
        method,
        sessionId: sessionOf(params),
        update: kindOf(params),
      };
    }
    case "result":
    case "error":
      return id ? { kind: "response", line, id } : { kind: "invalid", line, id };
    case "invalid":
      return { kind: "invalid", line, id };
  }
}

/** The parameters of a message that was not parsed yet. */
export function paramsIn(line: string): JsonObject {
  return paramsOf(parseFrame(line)?.["params"]);
}

function paramsOf(params: unknown): JsonObject {
  return isJsonObject(params) ? params : {};
}

function sessionOf(params: JsonObject): string | undefined {
  return stringField(params, "sessionId");
}

function kindOf({ update }: JsonObject): string | undefined {
  return isJsonObject(update) ? stringField(update, "sessionUpdate") : undefined;
}
