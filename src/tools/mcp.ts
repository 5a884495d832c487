import { RpcError } from "../transport/rpc/index.ts";
import {
  type JsonObject,
  definedFields,
  callSafely,
  deferred,
  within,
  isJsonObject,
  quietly,
} from "../base/index.ts";
import type { Tool, ToolRun } from "./tool.ts";

/** A request of an MCP client. */
export interface ToolServerRequest {
  /** The MCP method, such as `tools/call`. */
  readonly method: string;
  readonly params: JsonObject | undefined;
  /** Aborted when the client cancels the request or its connection closes. */
  readonly signal: AbortSignal;
  /** Sends a notification that belongs to the request. Resolves when the client can take more. */
  readonly notify: (method: string, params?: JsonObject) => Promise<void>;
}

/** Answers a request. Throws RpcError. */
export type ToolAnswer = (request: ToolServerRequest) => Promise<JsonObject>;

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
  request: ToolServerRequest,
): Promise<JsonObject> {
  const { params, signal } = request;
  const name = params?.["name"];
  const tool = typeof name === "string" ? tools.get(name) : undefined;
  if (!tool) throw RpcError.invalidParams(`Unknown tool: ${String(name)}`);
  if (calls.isFull) throw new RpcError(BUSY, "Too many tool calls are running");
  const progress = new ProgressReports(request);
  try {
    const output = await calls.run(signal, (either) =>
      tool.call(params?.["arguments"], { signal: either, onProgress: progress.report }),
    );
    return { ...output };
  } finally {
    progress.stop();
  }
}

/**
 * Last resort: an agent may wait for its tools before it ends a cancelled turn, so the result of an
 * aborted call is not held back longer than this.
 */
const MAX_HOLD_MS = 1000;

class RunningCall {
  readonly controller = new AbortController();
  /** The result is held back until this settles. */
  until: Promise<unknown> = Promise.resolve();
}

/** The calls of tools that run for one session. */
export class ToolCalls {
  readonly #limit: number;
  readonly #onActive: (active: boolean) => void;
  readonly #running = new Set<RunningCall>();

  /** `onActive` is called with true when a call starts, and with false when it ends. */
  constructor(limit: number, onActive: (active: boolean) => void) {
    this.#limit = limit;
    this.#onActive = onActive;
  }

  /** Whether another call has to be refused. */
  get isFull(): boolean {
    return this.#running.size >= this.#limit;
  }

  /** Runs a call. Its signal is aborted with `signal`, and by {@link ToolCalls.cancel}. */
  async run<T>(signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const call = new RunningCall();
    this.#running.add(call);
    callSafely(() => this.#onActive(true));
    try {
      const result = await work(AbortSignal.any([signal, call.controller.signal]));
      if (call.controller.signal.aborted) await heldBack(call.until, signal);
      return result;
    } finally {
      this.#running.delete(call);
      callSafely(() => this.#onActive(false));
    }
  }

  /** Aborts every running call, and holds its result back until `until` settles. */
  cancel(reason: Error, until: Promise<unknown> = Promise.resolve()): void {
    for (const call of this.#running) {
      if (call.controller.signal.aborted) continue;
      call.until = until;
      call.controller.abort(reason);
    }
  }
}

/** Waits for `until`, but not after the request itself is aborted. */
async function heldBack(until: Promise<unknown>, signal: AbortSignal): Promise<void> {
  const over = deferred();
  const resolve = (): void => over.resolve();
  if (signal.aborted) return;
  signal.addEventListener("abort", resolve, { once: true });
  until.then(resolve, resolve);
  await within(over.promise, MAX_HOLD_MS);
  signal.removeEventListener("abort", resolve);
}

/** The revisions of MCP that begin with `initialize`, newest first. */
const CONNECTED_REVISIONS = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"] as const;

/** The revision without `initialize`: each request names its revision. It is the one of MCP over ACP. */
const STATELESS_REVISION = "2026-07-28";

const REVISION_KEY = "io.modelcontextprotocol/protocolVersion";
const SERVER_INFO_KEY = "io.modelcontextprotocol/serverInfo";

/** The MCP error for a revision that this server does not speak. */
const UNSUPPORTED_REVISION = -32022;

interface ServerInfo {
  readonly name: string;
  readonly version: string;
}

/** All revisions that `server/discover` and errors list. */
const STATELESS_REVISIONS: readonly string[] = [STATELESS_REVISION];

/** Whether a server can speak a revision that a client named in an HTTP header. */
export function isKnownRevision(revision: string): boolean {
  return revision === STATELESS_REVISION || isConnectedRevision(revision);
}

/** The revision to answer `initialize` with: the client's if it is known, otherwise the newest. */
function negotiated(requested: unknown): string {
  const known = typeof requested === "string" && isConnectedRevision(requested);
  return known ? requested : CONNECTED_REVISIONS[0];
}

/** The revision that a request names in its `_meta`; undefined if it names none. */
function revisionOf(params: JsonObject | undefined): string | undefined {
  const meta = params?.["_meta"];
  const revision = isJsonObject(meta) ? meta[REVISION_KEY] : undefined;
  return typeof revision === "string" ? revision : undefined;
}

/** The form of a result in the stateless revision. Clients may not cache it, as tools may change. */
function statelessResult(method: string, result: JsonObject, info: ServerInfo): JsonObject {
  const isDiscovery = method === "server/discover";
  const isCacheable = isDiscovery || method === "tools/list";
  return {
    resultType: "complete",
    ...result,
    ...(isCacheable && { ttlMs: 0, cacheScope: "private" }),
    ...(isDiscovery && { _meta: { [SERVER_INFO_KEY]: info } }),
  };
}

function isConnectedRevision(revision: string): boolean {
  return CONNECTED_REVISIONS.some((known) => known === revision);
}

/**
 * Reports the progress of one call. While the client cannot take more, only the latest report is kept,
 * so that a tool may report as often as it likes.
 */
class ProgressReports {
  readonly #notify: ToolServerRequest["notify"];
  readonly #token: unknown;
  #latest: JsonObject | undefined;
  #isSending = false;

  constructor({ params, notify }: ToolServerRequest) {
    const meta = params?.["_meta"];
    this.#token = isJsonObject(meta) ? meta["progressToken"] : undefined;
    this.#notify = notify;
  }

  /** Undefined if the client asked for no progress. */
  get report(): ToolRun["progress"] | undefined {
    if (typeof this.#token !== "string" && typeof this.#token !== "number") return undefined;
    return (progress, total, message) => {
      this.#latest = {
        progressToken: this.#token,
        progress,
        ...definedFields({ total, message }),
      };
      if (!this.#isSending) void quietly(() => this.#send());
    };
  }

  /** Drops the report that waits, because the call is over. */
  stop(): void {
    this.#latest = undefined;
  }

  async #send(): Promise<void> {
    this.#isSending = true;
    try {
      for (let next = this.#take(); next; next = this.#take()) {
        await this.#notify("notifications/progress", next);
      }
    } finally {
      this.#isSending = false;
    }
  }

  #take(): JsonObject | undefined {
    const latest = this.#latest;
    this.#latest = undefined;
    return latest;
  }
}
