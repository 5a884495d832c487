import { isJsonObject, type JsonObject, objectField } from "../../base/index.ts";
import { rpcCodeOf } from "../../transport/rpc/index.ts";
import { UNSUPPORTED_VERSION, V2 } from "./methods.ts";
import {
  agentCapabilitiesToV1,
  agentCapabilitiesToV2,
  authMethodsToV1,
  authMethodsToV2,
  clientCapabilitiesToV1,
  clientCapabilitiesToV2,
} from "./shapes/capabilities.ts";

/**
 * The params of `initialize` in both forms at once, asking for v2. Agents of v1 ignore the fields of v2
 * and answer with their own version; agents of v2 ignore those of v1. Pure.
 */
export function initializeParamsToBoth(params: JsonObject): JsonObject {
  return {
    ...params,
    protocolVersion: V2,
    info: params["clientInfo"],
    capabilities: clientCapabilitiesToV2(params["clientCapabilities"]),
  };
}

/** Whether an agent answered in v2. Its form counts too: some v1 agents repeat the number. */
export function isV2InitializeResult(result: unknown): result is JsonObject {
  return isJsonObject(result) && result["protocolVersion"] === V2 && isJsonObject(result["info"]);
}

/** Whether a client asks for v2: by the number, and by the form that v2 requires. */
export function asksForV2(params: unknown): params is JsonObject {
  if (!isJsonObject(params)) return false;
  const { protocolVersion } = params;
  return (
    typeof protocolVersion === "number" && protocolVersion >= V2 && isJsonObject(params["info"])
  );
}

/** The versions that an agent names in the error for an unsupported one; undefined for other errors. */
export function initializeErrorVersions(error: unknown): readonly number[] | undefined {
  if (rpcCodeOf(error) !== UNSUPPORTED_VERSION) return undefined;
  const data = isJsonObject(error) ? error["data"] : undefined;
  const supported = isJsonObject(data) ? data["supported"] : undefined;
  return Array.isArray(supported) ? supported.filter((item) => typeof item === "number") : [];
}

/** The v1 form of a v2 agent's answer to `initialize`, still with version 2. Pure. */
export function initializeResultToV1(result: JsonObject): JsonObject {
  const { info, capabilities, authMethods, ...rest } = result;
  return {
    ...rest,
    agentInfo: info,
    agentCapabilities: agentCapabilitiesToV1(capabilities, authMethods),
    authMethods: authMethodsToV1(authMethods),
  };
}

/** The v2 form of a v1 agent's answer to `initialize`. Pure. */
export function initializeResultToV2(result: JsonObject): JsonObject {
  const { agentInfo, agentCapabilities, authMethods, ...rest } = result;
  return {
    ...rest,
    protocolVersion: V2,
    info: isJsonObject(agentInfo) ? agentInfo : UNKNOWN_AGENT,
    capabilities: agentCapabilitiesToV2(agentCapabilities),
    authMethods: authMethodsToV2(authMethods),
  };
}

/** The v1 form of a v2 client's `initialize`. Pure. */
export function initializeParamsToV1(params: JsonObject): JsonObject {
  const meta = objectField(params, "_meta");
  return {
    protocolVersion: 1,
    clientInfo: params["info"],
    clientCapabilities: clientCapabilitiesToV1(params["capabilities"]),
    ...(meta ? { _meta: meta } : {}),
  };
}

/** The v2 form of a v1 client's `initialize`. Pure. */
export function initializeParamsToV2(params: JsonObject): JsonObject {
  const meta = objectField(params, "_meta");
  const { clientInfo } = params;
  return {
    protocolVersion: V2,
    info: isJsonObject(clientInfo) ? clientInfo : UNKNOWN_AGENT,
    capabilities: clientCapabilitiesToV2(params["clientCapabilities"]),
    ...(meta ? { _meta: meta } : {}),
  };
}

const UNKNOWN_AGENT = { name: "unknown", version: "unknown" };
