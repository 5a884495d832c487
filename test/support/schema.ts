/**
 * The official schemas of ACP, made strict: undeclared properties are faults too. Exceptions are
 * `_meta`, where anything is allowed, and values that the schema itself leaves open.
 */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { Ajv2020 } from "ajv/dist/2020.js";
import {
  MCP_NOTIFICATION,
  type MethodEntry,
  methodsOf,
} from "../../src/conformance/schema/methods.ts";

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

/** The entry of a method in the schema of a version. */
function methodIn(version: SchemaVersion, method: string): MethodEntry | undefined {
  return methodsOf(version === "v2" || version === "v2 unstable" ? 2 : 1).get(method);
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
    const definition = methodIn(this.#version, request)?.result;
    if (definition === undefined) return [...faults, `is a response to ${request}, which has none`];
    return [...faults, ...strictFaults(definition, result, this.#version)];
  }

  #checkParams(method: string, params: unknown, isRequest: boolean): readonly string[] {
    if (method.startsWith("_")) return [];
    const entry = methodIn(this.#version, method);
    if (!isRequest && method === MCP_NOTIFICATION.method && entry?.from !== this.#side) {
      return strictFaults(MCP_NOTIFICATION.params, params, this.#version);
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
