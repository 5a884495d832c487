/**
 * The official schemas of ACP, made strict: undeclared properties are faults too. Exceptions are
 * `_meta`, where anything is allowed, and values that the schema itself leaves open.
 */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { Ajv2020 } from "ajv/dist/2020.js";

export type Side = "agent" | "client";
export type SchemaVersion = "stable" | "unstable" | "v2" | "v2 unstable";

type Json = Record<string, unknown>;

function isJson(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

const STRUCTURED = ["properties", "$ref", "allOf", "anyOf", "oneOf"];
const SCHEMA_LISTS = ["allOf", "anyOf", "oneOf"];

/**
 * Closes a schema that describes a whole value. Parts that are combined (`allOf` and the like) stay
 * open, because each sees the properties of the others. The values inside them are closed.
 */
function closed(schema: unknown, whole: boolean): unknown {
  if (!isJson(schema)) return schema;
  const out: Json = { ...schema };
  for (const key of SCHEMA_LISTS) {
    const list = schema[key];
    if (Array.isArray(list)) out[key] = list.map((part) => closed(part, false));
  }
  if (isJson(schema["properties"])) {
    out["properties"] = Object.fromEntries(
      Object.entries(schema["properties"]).map(([name, value]) => [name, closed(value, true)]),
    );
  }
  for (const key of ["items", "additionalProperties"]) out[key] = closed(schema[key], true);
  for (const key of ["items", "additionalProperties"]) if (out[key] === undefined) delete out[key];
  const isStructured = STRUCTURED.some((key) => key in schema);
  if (whole && isStructured && out["unevaluatedProperties"] === undefined) {
    out["unevaluatedProperties"] = false;
  }
  return out;
}

const require = createRequire(import.meta.url);
const FILES = {
  stable: "v1/schema.json",
  unstable: "v1/schema.unstable.json",
  v2: "v2/schema.json",
  "v2 unstable": "v2/schema.unstable.json",
};

function load(version: SchemaVersion): Ajv2020 {
  const file = require.resolve(`@agentclientprotocol/sdk/schema/${FILES[version]}`);
  const schema: unknown = JSON.parse(readFileSync(file, "utf8"));
  if (!isJson(schema) || !isJson(schema["$defs"])) throw new Error("the schema has no definitions");
  const $defs: Json = {};
  for (const [name, definition] of Object.entries(schema["$defs"])) {
    // The data of an error may be anything, although v2 names two forms of it.
    $defs[name] = closed(name === "Error" ? withOpenData(definition) : definition, false);
    // Other definitions refer to a definition as a part or as a whole. Frames are wholes.
    $defs[`whole ${name}`] = { $ref: `#/$defs/${name}`, unevaluatedProperties: false };
  }
  const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true });
  ajv.addSchema({ $id: "acp", $defs });
  return ajv;
}

function withOpenData(error: unknown): unknown {
  if (!isJson(error) || !isJson(error["properties"])) return error;
  return { ...error, properties: { ...error["properties"], data: {} } };
}

const loaded = new Map<SchemaVersion, Ajv2020>();

/** The faults that the strict schema finds in a value of one of its definitions; empty when valid. */
export function strictFaults(
  definition: string,
  value: unknown,
  version: SchemaVersion = "stable",
): readonly string[] {
  const ajv = loaded.get(version) ?? load(version);
  loaded.set(version, ajv);
  const validate = ajv.getSchema(`acp#/$defs/whole%20${definition}`);
  if (!validate) return [`the ${version} schema has no ${definition}`];
  if (validate(value) === true) return [];
  return (validate.errors ?? []).map(
    (error) => `${error.instancePath} ${error.message ?? ""} ${JSON.stringify(error.params)}`,
  );
}

/** The sender, params and result of each method. */
const METHODS: readonly (readonly [Side | "both", string, string, string?])[] = [
  ["client", "initialize", "InitializeRequest", "InitializeResponse"],
  ["client", "authenticate", "AuthenticateRequest", "AuthenticateResponse"],
  ["client", "logout", "LogoutRequest", "LogoutResponse"],
  ["client", "session/new", "NewSessionRequest", "NewSessionResponse"],
  ["client", "session/load", "LoadSessionRequest", "LoadSessionResponse"],
  ["client", "session/resume", "ResumeSessionRequest", "ResumeSessionResponse"],
  ["client", "session/fork", "ForkSessionRequest", "ForkSessionResponse"],
  ["client", "session/list", "ListSessionsRequest", "ListSessionsResponse"],
  ["client", "session/delete", "DeleteSessionRequest", "DeleteSessionResponse"],
  ["client", "session/close", "CloseSessionRequest", "CloseSessionResponse"],
  ["client", "session/prompt", "PromptRequest", "PromptResponse"],
  ["client", "session/set_mode", "SetSessionModeRequest", "SetSessionModeResponse"],
  [
    "client",
    "session/set_config_option",
    "SetSessionConfigOptionRequest",
    "SetSessionConfigOptionResponse",
  ],
  ["client", "session/cancel", "CancelNotification"],
  ["agent", "session/update", "SessionNotification"],
  ["agent", "session/request_permission", "RequestPermissionRequest", "RequestPermissionResponse"],
  ["agent", "fs/read_text_file", "ReadTextFileRequest", "ReadTextFileResponse"],
  ["agent", "fs/write_text_file", "WriteTextFileRequest", "WriteTextFileResponse"],
  ["agent", "terminal/create", "CreateTerminalRequest", "CreateTerminalResponse"],
  ["agent", "terminal/output", "TerminalOutputRequest", "TerminalOutputResponse"],
  ["agent", "terminal/wait_for_exit", "WaitForTerminalExitRequest", "WaitForTerminalExitResponse"],
  ["agent", "terminal/kill", "KillTerminalRequest", "KillTerminalResponse"],
  ["agent", "terminal/release", "ReleaseTerminalRequest", "ReleaseTerminalResponse"],
  ["agent", "elicitation/create", "CreateElicitationRequest", "CreateElicitationResponse"],
  ["agent", "elicitation/complete", "CompleteElicitationNotification"],
  ["both", "$/cancel_request", "CancelRequestNotification"],
  // Only the unstable schema has these. `mcp/message` is a request one way and a notification the other.
  ["client", "auth/status", "AuthStatusRequest", "AuthStatusResponse"],
  ["agent", "auth/status_update", "AuthStatusUpdateNotification"],
  ["client", "providers/list", "ListProvidersRequest", "ListProvidersResponse"],
  ["client", "providers/set", "SetProviderRequest", "SetProviderResponse"],
  ["client", "providers/disable", "DisableProviderRequest", "DisableProviderResponse"],
  ["client", "session/archive", "ArchiveSessionRequest", "ArchiveSessionResponse"],
  ["client", "session/unarchive", "UnarchiveSessionRequest", "UnarchiveSessionResponse"],
  ["client", "session/status", "SessionStatusRequest", "SessionStatusResponse"],
  ["client", "session/set_title", "SetSessionTitleRequest", "SetSessionTitleResponse"],
  ["agent", "mcp/message", "MessageMcpRequest", "MessageMcpResponse"],
];

/** The methods of v2 that v1 does not have, or has with other definitions. */
const V2_METHODS: readonly (readonly [Side | "both", string, string, string?])[] = [
  ["client", "auth/login", "LoginAuthRequest", "LoginAuthResponse"],
  ["client", "auth/logout", "LogoutAuthRequest", "LogoutAuthResponse"],
  ["client", "tool_call/cancel", "CancelToolCallRequest", "CancelToolCallResponse"],
  ["client", "terminal/cancel", "CancelTerminalRequest", "CancelTerminalResponse"],
  ["client", "session/cancel", "CancelSessionNotification"],
  ["agent", "session/update", "UpdateSessionNotification"],
];

/** The methods of v1 that v2 does not have. */
const REMOVED_IN_V2 =
  /^(?:authenticate|logout|session\/load|session\/set_mode|fs\/.*|terminal\/(?!cancel).*)$/;

/** Methods that the other side may send too, as notifications. */
const NOTIFICATIONS = new Map([["mcp/message", "MessageMcpNotification"]]);

interface MethodEntry {
  readonly from: Side | "both";
  readonly params: string;
  readonly result: string | undefined;
}

function byName(methods: typeof METHODS): ReadonlyMap<string, MethodEntry> {
  return new Map(methods.map(([from, name, params, result]) => [name, { from, params, result }]));
}

const BY_NAME = byName(METHODS);
const BY_NAME_IN_V2 = byName([
  ...METHODS.filter(([, name]) => !REMOVED_IN_V2.test(name)),
  ...V2_METHODS,
]);

function methodsOf(version: SchemaVersion): ReadonlyMap<string, MethodEntry> {
  return version === "v2" || version === "v2 unstable" ? BY_NAME_IN_V2 : BY_NAME;
}

/** The faults in an `initialize` that asks for v2, and may have the fields of v1 next to those of v2. */
function bothFormsFaults(params: Json): readonly string[] {
  const { clientCapabilities, clientInfo, ...inV2 } = params;
  const faults = strictFaults("InitializeRequest", inV2, "v2 unstable");
  if (clientCapabilities === undefined && clientInfo === undefined) return faults;
  const inV1 = { protocolVersion: 1, clientCapabilities, clientInfo };
  return [...faults, ...strictFaults("InitializeRequest", inV1, "unstable")];
}

/**
 * Watches a connection and collects the faults in the frames that one side writes. It needs both
 * directions, because a response can only be checked against its request.
 */
export class FrameChecker {
  /** The faults found so far, each with its frame. */
  readonly faults: string[] = [];
  /** How many frames of that side were checked. */
  judged = 0;
  readonly #side: Side;
  readonly #version: SchemaVersion;
  /** Methods of the other side's requests, by id. */
  readonly #requests = new Map<unknown, string>();

  constructor(side: Side, version: SchemaVersion = "stable") {
    this.#side = side;
    this.#version = version;
  }

  /** Checks a line that `from` wrote. */
  saw(from: Side, line: string): void {
    let frame: unknown;
    try {
      frame = JSON.parse(line);
    } catch {
      if (from === this.#side) this.#addFault("is not JSON", line);
      return;
    }
    if (from !== this.#side) {
      if (isJson(frame) && typeof frame["method"] === "string" && "id" in frame) {
        this.#requests.set(frame["id"], frame["method"]);
      }
      return;
    }
    this.judged++;
    if (!isJson(frame)) return this.#addFault("is not an object", line);
    for (const fault of this.#check(frame)) this.#addFault(fault, line);
  }

  #check(frame: Json): readonly string[] {
    const { jsonrpc, method, id, params, result, error, ...rest } = frame;
    const faults = Object.keys(rest).map((key) => `has an undeclared member ${key}`);
    if (jsonrpc !== "2.0") faults.push("is not JSON-RPC 2.0");
    if (typeof method === "string") {
      if ("result" in frame || "error" in frame) faults.push("is both a request and a response");
      if ("id" in frame) faults.push(...strictFaults("RequestId", id, this.#version));
      return [...faults, ...this.#checkParams(method, params, "id" in frame)];
    }
    if (!("id" in frame)) faults.push("has neither method nor id");
    if ("error" in frame) return [...faults, ...strictFaults("Error", error, this.#version)];
    const request = this.#requests.get(id);
    this.#requests.delete(id);
    if (request === undefined) return [...faults, "is a response without a request"];
    if (request.startsWith("_")) return faults;
    const definition = methodsOf(this.#version).get(request)?.result;
    if (definition === undefined) return [...faults, `is a response to ${request}, which has none`];
    return [...faults, ...strictFaults(definition, result, this.#version)];
  }

  #checkParams(method: string, params: unknown, isRequest: boolean): readonly string[] {
    if (method.startsWith("_")) return [];
    const entry = methodsOf(this.#version).get(method);
    const notification = isRequest ? undefined : NOTIFICATIONS.get(method);
    if (notification !== undefined && entry?.from !== this.#side) {
      return strictFaults(notification, params, this.#version);
    }
    if (!entry) return [`${method} is not a method of the protocol`];
    if (entry.from !== this.#side && entry.from !== "both")
      return [`only the other side may send ${method}`];
    if (isRequest !== (entry.result !== undefined)) {
      return [`${method} must be a ${isRequest ? "notification" : "request"}`];
    }
    if (method === "initialize" && isJson(params) && params["protocolVersion"] === 2) {
      return bothFormsFaults(params);
    }
    return strictFaults(entry.params, params, this.#version);
  }

  #addFault(fault: string, line: string): void {
    this.faults.push(`${fault}: ${line.slice(0, 400)}`);
  }
}
