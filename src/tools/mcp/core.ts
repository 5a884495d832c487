import { RpcError } from "../../rpc/index.ts";
import { definedFields, type JsonObject } from "../../wire/index.ts";
import type { Tool } from "../tool.ts";
import type { ToolCalls } from "./calls.ts";
import { ProgressReports } from "./progress.ts";
import {
  negotiated,
  revisionOf,
  type ServerInfo,
  STATELESS_REVISIONS,
  statelessResult,
  UNSUPPORTED_REVISION,
} from "./revisions.ts";

/** A request of an MCP client. */
export interface ToolServerRequest {
  /** The MCP method, such as `tools/call`. */
  readonly method: string;
  /** The params of the method. */
  readonly params: JsonObject | undefined;
  /** Aborted when the client cancels the request or its connection closes. */
  readonly signal: AbortSignal;
  /** Sends a notification that belongs to the request. */
  readonly notify: (method: string, params?: JsonObject) => Promise<void>;
}

/** The tools of a server, and how it introduces itself. */
export interface ServedTools {
  readonly info: ServerInfo;
  readonly instructions: string | undefined;
  readonly tools: ReadonlyMap<string, Tool>;
}

const CAPABILITIES = { tools: {} };
const BUSY = -32000;

/**
 * Answers one MCP request, from any transport. Throws RpcError for a method, tool or revision
 * that the server does not have, and while too many calls run. A tool that fails is an answer.
 */
export async function answerRequest(
  served: ServedTools,
  calls: ToolCalls,
  request: ToolServerRequest,
): Promise<JsonObject> {
  const revision = revisionOf(request.params);
  if (revision === undefined) return resultOf(served, calls, request);
  if (!STATELESS_REVISIONS.includes(revision)) {
    const data = { supported: STATELESS_REVISIONS, requested: revision };
    throw new RpcError(UNSUPPORTED_REVISION, `Unsupported protocol version: ${revision}`, data);
  }
  const result = await resultOf(served, calls, request);
  return statelessResult(request.method, result, served.info);
}

async function resultOf(
  served: ServedTools,
  calls: ToolCalls,
  request: ToolServerRequest,
): Promise<JsonObject> {
  const { instructions, info } = served;
  switch (request.method) {
    case "initialize":
      return {
        protocolVersion: negotiated(request.params?.["protocolVersion"]),
        capabilities: CAPABILITIES,
        serverInfo: info,
        ...definedFields({ instructions }),
      };
    case "server/discover":
      return {
        supportedVersions: STATELESS_REVISIONS,
        capabilities: CAPABILITIES,
        ...definedFields({ instructions }),
      };
    case "ping":
      return {};
    case "tools/list":
      return { tools: [...served.tools.values()].map(describeTool) };
    case "tools/call":
      return callTool(served, calls, request);
    default:
      throw RpcError.methodNotFound(request.method);
  }
}

function describeTool({ name, title, description, inputSchema, hints }: Tool): JsonObject {
  return { name, description, inputSchema, ...definedFields({ title, annotations: hints }) };
}

async function callTool(
  { tools }: ServedTools,
  calls: ToolCalls,
  { params, signal, notify }: ToolServerRequest,
): Promise<JsonObject> {
  const name = params?.["name"];
  const tool = typeof name === "string" ? tools.get(name) : undefined;
  if (!tool) throw RpcError.invalidParams(`Unknown tool: ${String(name)}`);
  if (calls.isFull) throw new RpcError(BUSY, "Too many tool calls are running");
  const progress = new ProgressReports(params, notify);
  try {
    const output = await calls.run(signal, (either) =>
      tool.call(params?.["arguments"], { signal: either, onProgress: progress.report }),
    );
    return { ...output };
  } finally {
    progress.stop();
  }
}
