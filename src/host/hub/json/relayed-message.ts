import { classifyMessage, type Message, RpcCode, RpcError } from "../../../transport/rpc/index.ts";
import {
  isJsonObject,
  type JsonObject,
  parseJsonObject,
  stringField,
} from "../../../base/index.ts";
import { errorLine } from "./rpc-lines.ts";
import { memberSpan, type Span, spliceText } from "./json-text.ts";
import { hasAmbiguousKeys } from "./ambiguous-keys.ts";

/**
 * A message with the text that it was received as. The hub passes the text on and replaces only the id,
 * because parsing and writing it again would change large numbers and the order of keys. So that every
 * receiver reads the same message as the hub, a text that can be read in two ways is not passed on.
 */
export type RelayedMessage =
  | {
      readonly kind: "request";
      readonly line: string;
      readonly id: Span;
      readonly method: string;
      readonly params: JsonObject;
      readonly sessionId: string | undefined;
    }
  | {
      readonly kind: "notification";
      readonly line: string;
      readonly method: string;
      /** Undefined for a piece of text, which is not parsed. */
      readonly params: JsonObject | undefined;
      readonly sessionId: string | undefined;
    }
  | { readonly kind: "response"; readonly line: string; readonly id: Span }
  | {
      readonly kind: "invalid";
      readonly line: string;
      readonly ambiguous: DeniedRequest | undefined;
    };

type RelayedRequest = Extract<RelayedMessage, { kind: "request" }>;

/** A request that is refused with this error. */
export interface DeniedRequest extends Pick<
  RelayedRequest,
  "line" | "id" | "method" | "sessionId"
> {
  readonly error: RpcError;
}

/** A line that is longer is parsed, because the expression below would need much memory for it. */
const MAX_TEXT_LINE = 16 * 1024;

/** A piece of text, as most lines are. Matches the whole line, so that `JSON.parse` reads nothing else. */
const TEXT_UPDATE = /* @__PURE__ */ textUpdate();

function textUpdate(): RegExp {
  const plain = String.raw`[^"\\\u0000-\u001f]*`;
  const string = String.raw`"${plain}(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})${plain})*"`;
  const messageId = `"messageId":"${plain}"`;
  const kind = `"sessionUpdate":"(?:agent|user)_(?:message|thought)_chunk"`;
  const content = String.raw`"content":\{"type":"text","text":${string}\}`;
  const update = String.raw`\{${kind},(?:${messageId},${content}|${content}(?:,${messageId})?)\}`;
  const params = String.raw`\{"sessionId":"(${plain})","update":${update}\}`;
  return new RegExp(
    String.raw`^\{"jsonrpc":"2\.0","method":"session/update","params":${params}\}$`,
  );
}

export function readRelayedMessage(received: string): RelayedMessage {
  // JSON ignores a line break, but some clients would read the rest as a separate message.
  const line = received.includes("\r") ? received.replaceAll("\r", " ") : received;
  const text = line.length <= MAX_TEXT_LINE ? TEXT_UPDATE.exec(line) : null;
  if (text) {
    const [, sessionId] = text;
    return { kind: "notification", line, method: "session/update", params: undefined, sessionId };
  }
  const frame = parseJsonObject(line);
  if (!frame) return invalid(line);
  const message = classifyMessage(frame);
  const id = memberSpan(line, "id");
  return hasAmbiguousKeys(line, frame) ? refused(line, message, id) : relayed(line, message, id);
}

function relayed(line: string, message: Message, id: Span | undefined): RelayedMessage {
  switch (message.kind) {
    case "request": {
      const { kind, method } = message;
      const params = paramsOf(message.params);
      const sessionId = stringField(params, "sessionId");
      return id ? { kind, line, id, method, params, sessionId } : invalid(line);
    }
    case "notification": {
      const { kind, method } = message;
      const params = paramsOf(message.params);
      return { kind, line, method, params, sessionId: stringField(params, "sessionId") };
    }
    case "result":
    case "error":
      return id ? { kind: "response", line, id } : invalid(line);
    case "invalid":
      return invalid(line);
  }
}

/** An ambiguous message. A response becomes an error, because someone awaits it. */
function refused(line: string, message: Message, id: Span | undefined): RelayedMessage {
  switch (message.kind) {
    case "request": {
      const { method } = message;
      const error = new RpcError(
        RpcCode.invalidRequest,
        "The request has a duplicate or conflicting key",
      );
      return invalid(line, id && { line, id, method, sessionId: undefined, error });
    }
    case "result":
    case "error": {
      if (!id) return invalid(line);
      const error = new RpcError(
        RpcCode.internalError,
        "The response has a duplicate or conflicting key",
      );
      const text = errorLine(line.slice(id.start, id.end), error);
      return relayed(text, message, memberSpan(text, "id"));
    }
    case "notification":
    case "invalid":
      return invalid(line);
  }
}

function invalid(line: string, ambiguous?: DeniedRequest): RelayedMessage {
  return { kind: "invalid", line, ambiguous };
}

function paramsOf(params: unknown): JsonObject {
  return isJsonObject(params) ? params : {};
}

export function withParams(message: RelayedRequest, params: JsonObject): RelayedRequest {
  const span = memberSpan(message.line, "params");
  if (!span) return message;
  const line = spliceText(message.line, span, JSON.stringify(params));
  const id = memberSpan(line, "id") ?? message.id;
  return { ...message, line, id, params, sessionId: stringField(params, "sessionId") };
}
