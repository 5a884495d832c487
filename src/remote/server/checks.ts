import { bearerOf, headerOf, type RequestHeaders } from "../../wire/index.ts";
import { tokenInProtocols } from "../websocket/subprotocols.ts";

/** Pure: the subprotocols that a WebSocket offers. */
export function protocolsOf(headers: RequestHeaders): readonly string[] {
  const offered = headerOf(headers, "sec-websocket-protocol") ?? "";
  return offered.split(",").map((protocol) => protocol.trim());
}

/** Pure: the token of a request, never taken from its address. */
export function tokenOf(headers: RequestHeaders): string | undefined {
  return bearerOf(headers) ?? tokenInProtocols(protocolsOf(headers));
}

/** Pure: whether a header says that a body is JSON. */
export function isJson(contentType: string | undefined): boolean {
  return contentType?.split(";", 1)[0]?.trim().toLowerCase() === "application/json";
}

/** Pure: whether the client accepts an event stream. */
export function acceptsEvents(accept: string | undefined): boolean {
  return accept?.toLowerCase().includes("text/event-stream") === true;
}
