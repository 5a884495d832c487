/**
 * The official schema of ACP v1, made strict: undeclared properties are faults too, except under
 * `_meta`, which is anybody's, and where the schema itself leaves a value open.
 */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { Ajv2020 } from "ajv/dist/2020.js";

export type Side = "agent" | "client";
export type SchemaVersion = "stable" | "unstable";

type Json = Record<string, unknown>;

function isJson(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

const STRUCTURED = ["properties", "$ref", "allOf", "anyOf", "oneOf"];
const SCHEMA_LISTS = ["allOf", "anyOf", "oneOf"];

/**
 * Closes a schema that stands for a whole value. Parts that are combined (`allOf` and the like) stay
 * open, since each sees the others' properties; what they contain is closed all the same.
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
const FILES = { stable: "schema.json", unstable: "schema.unstable.json" };

function load(version: SchemaVersion): Ajv2020 {
  const file = require.resolve(`@agentclientprotocol/sdk/schema/v1/${FILES[version]}`);
  const schema: unknown = JSON.parse(readFileSync(file, "utf8"));
  if (!isJson(schema) || !isJson(schema["$defs"])) throw new Error("the schema has no definitions");
  const $defs: Json = {};
  for (const [name, definition] of Object.entries(schema["$defs"])) {
    $defs[name] = closed(definition, false);
    // A definition is referred to both as a part and as a whole; frames are wholes.
    $defs[`whole ${name}`] = { $ref: `#/$defs/${name}`, unevaluatedProperties: false };
  }
  const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true });
  ajv.addSchema({ $id: "acp", $defs });
  return ajv;
}

const loaded = new Map<SchemaVersion, Ajv2020>();

/** What the strict schema has against a value of one of its definitions; empty when valid. */
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

/** What each method takes and gives; who sends it. */
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
];

interface MethodEntry {
  readonly from: Side | "both";
  readonly params: string;
  readonly result: string | undefined;
}

const BY_NAME = new Map(
  METHODS.map(([from, name, params, result]): [string, MethodEntry] => [
    name,
    { from, params, result },
  ]),
);

/**
 * Watches a connection and notes what is wrong with the frames one side writes. It sees both
 * directions, since an answer can only be judged by its question.
 */
export class FrameChecker {
  /** What was found, with the frame. */
  readonly faults: string[] = [];
  /** How many frames of that side were judged. */
  judged = 0;
  readonly #side: Side;
  readonly #version: SchemaVersion;
  /** Methods of the other side's requests, by id. */
  readonly #asked = new Map<unknown, string>();

  constructor(side: Side, version: SchemaVersion = "stable") {
    this.#side = side;
    this.#version = version;
  }

  /** Shows it a line that `from` wrote. */
  saw(from: Side, line: string): void {
    let frame: unknown;
    try {
      frame = JSON.parse(line);
    } catch {
      if (from === this.#side) this.#note("is no JSON", line);
      return;
    }
    if (from !== this.#side) {
      if (isJson(frame) && typeof frame["method"] === "string" && "id" in frame) {
        this.#asked.set(frame["id"], frame["method"]);
      }
      return;
    }
    this.judged++;
    if (!isJson(frame)) return this.#note("is no object", line);
    for (const fault of this.#judge(frame)) this.#note(fault, line);
  }

  #judge(frame: Json): readonly string[] {
    const { jsonrpc, method, id, params, result, error, ...rest } = frame;
    const faults = Object.keys(rest).map((key) => `has an undeclared ${key}`);
    if (jsonrpc !== "2.0") faults.push("is not JSON-RPC 2.0");
    if (typeof method === "string") {
      if ("result" in frame || "error" in frame) faults.push("is request and response at once");
      if ("id" in frame) faults.push(...strictFaults("RequestId", id, this.#version));
      return [...faults, ...this.#judgeParams(method, params, "id" in frame)];
    }
    if (!("id" in frame)) faults.push("has neither method nor id");
    if ("error" in frame) return [...faults, ...strictFaults("Error", error, this.#version)];
    const asked = this.#asked.get(id);
    this.#asked.delete(id);
    if (asked === undefined) return [...faults, "answers nothing that was asked"];
    if (asked.startsWith("_")) return faults;
    const definition = BY_NAME.get(asked)?.result;
    if (definition === undefined) return [...faults, `gives ${asked} a result`];
    return [...faults, ...strictFaults(definition, result, this.#version)];
  }

  #judgeParams(method: string, params: unknown, isRequest: boolean): readonly string[] {
    if (method.startsWith("_")) return [];
    const entry = BY_NAME.get(method);
    if (!entry) return [`${method} is not of the protocol`];
    if (entry.from !== this.#side && entry.from !== "both")
      return [`${method} is the other side's`];
    if (isRequest !== (entry.result !== undefined)) return [`${method} is sent the wrong way`];
    return strictFaults(entry.params, params, this.#version);
  }

  #note(fault: string, line: string): void {
    this.faults.push(`${fault}: ${line.slice(0, 400)}`);
  }
}
