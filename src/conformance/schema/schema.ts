import { isJsonObject, type JsonObject } from "../../base/index.ts";
import type { CheckedSide } from "../requirement.ts";
import { MCP_NOTIFICATION, methodsOf } from "./methods.ts";
import { V1_DEFINITIONS } from "./tables/v1.ts";
import { V1_UNSTABLE_DEFINITIONS } from "./tables/v1-unstable.ts";
import { V2_DEFINITIONS } from "./tables/v2.ts";
import { V2_UNSTABLE_DEFINITIONS } from "./tables/v2-unstable.ts";
import { type SchemaFault, Validator } from "./validator.ts";

export type SchemaName = "v1" | "v1 unstable" | "v2" | "v2 unstable";

const validators = new Map<SchemaName, Validator>();

/** The validator of a schema, made when it is first used. */
export function validatorOf(name: SchemaName): Validator {
  const known = validators.get(name);
  if (known) return known;
  const made = new Validator(withOpenErrors(definitionsOf(name)));
  validators.set(name, made);
  return made;
}

/** The schema of a version: the stable one, or the one with its unstable parts. */
export function schemaName(protocol: 1 | 2, isUnstable = false): SchemaName {
  if (protocol === 1) return isUnstable ? "v1 unstable" : "v1";
  return isUnstable ? "v2 unstable" : "v2";
}

export function definitionsOf(name: SchemaName): JsonObject {
  switch (name) {
    case "v1":
      return parse(V1_DEFINITIONS);
    case "v1 unstable":
      return { ...parse(V1_DEFINITIONS), ...parse(V1_UNSTABLE_DEFINITIONS) };
    case "v2":
      return parse(V2_DEFINITIONS);
    case "v2 unstable":
      return { ...parse(V2_DEFINITIONS), ...parse(V2_UNSTABLE_DEFINITIONS) };
  }
}

function parse(text: string): JsonObject {
  const value: unknown = JSON.parse(text);
  if (!isJsonObject(value)) throw new Error("the table of the schema is not an object");
  return value;
}

/** The data of an error may be anything, although v2 names two forms of it. */
function withOpenErrors(definitions: JsonObject): JsonObject {
  const error = definitions["Error"];
  if (!isJsonObject(error) || !isJsonObject(error["properties"])) return definitions;
  return { ...definitions, Error: { ...error, properties: { ...error["properties"], data: {} } } };
}

/** The faults of a message's params. `from` is the side that sent it. */
export function paramsFaults(
  method: string,
  params: unknown,
  context: {
    readonly from: CheckedSide;
    readonly isRequest: boolean;
    readonly protocol: 1 | 2;
    readonly isUnstable: boolean;
  },
): readonly SchemaFault[] {
  if (method.startsWith("_")) return [];
  const validator = validatorOf(schemaName(context.protocol, context.isUnstable));
  if (method === MCP_NOTIFICATION.method && !context.isRequest) {
    return validator.has(MCP_NOTIFICATION.params)
      ? validator.faults(MCP_NOTIFICATION.params, params)
      : [unknownMethod(method)];
  }
  const entry = methodsOf(context.protocol).get(method);
  if (!entry || !validator.has(entry.params)) return [unknownMethod(method)];
  if (entry.from !== "both" && entry.from !== context.from) {
    return [methodFault(`only the ${entry.from} may send ${method}`)];
  }
  if (context.isRequest !== (entry.result !== undefined)) {
    return [methodFault(`${method} must be a ${context.isRequest ? "notification" : "request"}`)];
  }
  if (method === "initialize" && isJsonObject(params) && params["protocolVersion"] !== 1) {
    return initializeFaults(params, context);
  }
  return validator.faults(entry.params, params);
}

/** An `initialize` that asks for version 2 may have the fields of version 1 next to its own. */
function initializeFaults(
  params: JsonObject,
  { isUnstable }: { readonly isUnstable: boolean },
): readonly SchemaFault[] {
  const { clientCapabilities, clientInfo, ...own } = params;
  const inV1 = {
    protocolVersion: params["protocolVersion"],
    ...(clientCapabilities === undefined ? {} : { clientCapabilities }),
    ...(clientInfo === undefined ? {} : { clientInfo }),
  };
  const v1 = validatorOf(schemaName(1, isUnstable));
  const isPlain = !("info" in own) && !("capabilities" in own);
  if (isPlain) return v1.faults("InitializeRequest", params);
  return [
    ...validatorOf(schemaName(2, isUnstable)).faults("InitializeRequest", own),
    ...v1.faults("InitializeRequest", inV1),
  ];
}

/** The faults of the result of a method; empty for methods that begin with `_`. */
export function resultFaults(
  method: string,
  result: unknown,
  protocol: 1 | 2,
  isUnstable: boolean,
): readonly SchemaFault[] {
  if (method.startsWith("_")) return [];
  const validator = validatorOf(schemaName(protocol, isUnstable));
  const definition = methodsOf(protocol).get(method)?.result;
  if (definition === undefined || !validator.has(definition)) return [];
  return validator.faults(definition, result);
}

function unknownMethod(method: string): SchemaFault {
  return methodFault(`${method} is not a method of this version of the protocol`);
}

function methodFault(message: string): SchemaFault {
  return { kind: "invalid", path: "/method", message };
}
