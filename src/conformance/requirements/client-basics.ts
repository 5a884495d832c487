import type { Requirement } from "../requirement.ts";
import { area as areaOf, type RequirementRow } from "./rows.ts";

function area(name: string, rows: readonly RequirementRow[]): readonly Requirement[] {
  return areaOf(name, rows, "client");
}

const start = area("start", [
  [
    "DRC-INIT-01",
    "MUST",
    "turn",
    "initialization",
    "The client sends initialize first, with an integer version and valid capabilities.",
  ],
  [
    "DRC-INIT-02",
    "SHOULD",
    "turn",
    "initialization#implementation-information",
    "initialize has clientInfo.",
  ],
  [
    "DRC-INIT-03",
    "SHOULD",
    "turn",
    "initialization#version-negotiation",
    "The client ends the connection and tells the user if the agent answers a version that the client does not speak.",
  ],
  [
    "DRC-INIT-04",
    "WARN",
    "turn",
    "",
    "The client copes with unknown fields, missing authMethods and a late answer to initialize, and reports an error.",
  ],
  [
    "DRC-FRAME-01",
    "MUST",
    "passive",
    "transports#stdio",
    "Every line that the client writes is a valid message in UTF-8 without undeclared fields.",
  ],
  [
    "DRC-FRAME-02",
    "WARN",
    "turn",
    "",
    "A turn completes although banners, logs and broken lines are mixed into the agent's stdout.",
  ],
  [
    "DRC-FRAME-03",
    "WARN",
    "turn",
    "transports#stdio",
    "The client does not answer noise on the agent's stdout.",
  ],
  [
    "DRC-FRAME-04",
    "MUST",
    "turn",
    "transports#stdio",
    "The client reads frames that are split inside characters, and many frames in one write.",
  ],
  [
    "DRC-FRAME-05",
    "WARN",
    "turn",
    "",
    "Frames of 100 KiB, 8 MiB and 40 MiB are taken, or end in a clear error.",
  ],
]);

const rpc = area("json-rpc", [
  [
    "DRC-RPC-01",
    "MUST",
    "turn",
    "extensibility#custom-requests",
    "An unknown request gets a response, which should be error -32601.",
  ],
  ["DRC-RPC-02", "MUST", "turn", "overview#error-handling", "The client answers no notification."],
  [
    "DRC-RPC-03",
    "MUST",
    "turn",
    "JSON-RPC 2.0",
    "Every request is answered once, with any kind of id.",
  ],
  [
    "DRC-RPC-04",
    "SHOULD",
    "turn",
    "schema#errorcode",
    "Invalid params are answered with error -32602.",
  ],
  [
    "DRC-RPC-05",
    "WARN",
    "turn",
    "",
    "The client ignores a second response to its prompt, and responses to requests that it never sent.",
  ],
  [
    "DRC-RPC-06",
    "WARN",
    "turn",
    "",
    "A request that waits does not hold up others, even with a hundred at the same time.",
  ],
  [
    "DRC-RPC-07",
    "WARN",
    "turn",
    "",
    "The client handles messages in their order: a tool call before its permission request, the last chunk before the result.",
  ],
  [
    "DRC-RPC-08",
    "MUST",
    "turn",
    "cancellation",
    "A permission request that the agent withdraws is answered once; an unknown id is ignored.",
  ],
]);

const sessions = area("sessions", [
  [
    "DRC-SES-01",
    "MUST",
    "turn",
    "session-setup#mcp-servers",
    "session/new has an absolute cwd and the MCP servers in their proper form, and only transports that the agent can use.",
  ],
  [
    "DRC-SES-02",
    "MUST",
    "turn",
    "session-setup",
    "The client uses only the session methods that the agent advertises.",
  ],
  [
    "DRC-SES-03",
    "MUST",
    "load",
    "session-modes",
    "The client sets only modes and options that the agent lists.",
  ],
  [
    "DRC-SES-04",
    "MUST",
    "turn",
    "authentication#terminal-authentication",
    "The client authenticates only with offered methods, never with a terminal one, and explains error -32000.",
  ],
  [
    "DRC-SES-05",
    "WARN",
    "turn",
    "",
    "Updates before the response of session/new count, and updates of unknown sessions do not.",
  ],
  [
    "DRC-SES-06",
    "MUST",
    "load",
    "session-setup#loading-a-session",
    "A load takes the replay, waits for the response before it prompts, and keeps modes and options.",
  ],
  [
    "DRC-SES-07",
    "WARN",
    "load",
    "",
    "A replay that comes after the response is not taken for the next answer.",
  ],
  [
    "DRC-SES-08",
    "MUST",
    "load",
    "session-list#pagination",
    "The client passes cursors on unchanged and stops when there is none.",
  ],
  [
    "DRC-SES-09",
    "WARN",
    "load",
    "",
    "Error -32002 for close and delete counts as done, and a failed load is reported.",
  ],
]);

/** Requirements for clients about messages and sessions. */
export const CLIENT_BASICS: readonly (readonly Requirement[])[] = [start, rpc, sessions];
