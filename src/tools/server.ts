import { type JsonObject, type OptionNames, optionsFault, quietly } from "../base/index.ts";
import { ToolServerError, type Tool } from "./tool.ts";
import {
  type ToolAnswer,
  ToolCalls,
  answerRequest,
  type ServedTools,
  type ToolServerRequest,
} from "./mcp.ts";
import { type BridgeCommand, serveBridge } from "./transports/bridge.ts";
import { serveHttp } from "./transports/http.ts";

/** How an agent reaches a tool server. */
export type ToolTransport = "acp" | "http" | "stdio";

/** How to make a tool server. */
export interface ToolServerOptions {
  /** The name of the server, which agents put before the names of its tools. */
  readonly name: string;
  /** The tools. Their names must differ. */
  readonly tools: readonly Tool[];
  /** The version of the server. Default: `1.0.0`. */
  readonly version?: string | undefined;
  /** Tells the model how to use the tools together. */
  readonly instructions?: string | undefined;
  /** The transport to use. Default: the best one that the agent supports. */
  readonly transport?: ToolTransport | undefined;
  /** How many calls may run at once in a session. More are refused. Default: 64. */
  readonly maxCalls?: number | undefined;
  /**
   * The command that agents without HTTP start. Default: `dragoman tool-bridge` of the installed
   * package. Set it in a program that is bundled into one file.
   */
  readonly bridge?: BridgeCommand | undefined;
}

/** A server that the agent reaches through its connection to the client. */
interface AcpToolEndpoint {
  readonly type: "acp";
  readonly name: string;
  /** Answers a request. Throws RpcError. */
  readonly handle: (request: ToolServerRequest) => Promise<JsonObject>;
}

/** A server that the agent reaches over HTTP, on this machine only. */
export interface HttpToolEndpoint {
  readonly type: "http";
  readonly name: string;
  /** The address, on the loopback interface. */
  readonly url: string;
  /** The headers that every request needs. They contain the token: do not log them. */
  readonly headers: Readonly<Record<string, string>>;
}

/** A command that the agent starts to reach the server. */
export interface StdioToolEndpoint {
  readonly type: "stdio";
  readonly name: string;
  /** The executable. */
  readonly command: string;
  /** They contain no secret. */
  readonly args: readonly string[];
  /** Its environment variables. They contain the token: do not log them. */
  readonly env: Readonly<Record<string, string>>;
}

/** How an MCP client reaches an open tool server. */
export type ToolEndpoint = AcpToolEndpoint | HttpToolEndpoint | StdioToolEndpoint;

/** A tool server that is open for one session. */
export interface OpenToolServer<
  Endpoint extends ToolEndpoint = ToolEndpoint,
> extends AsyncDisposable {
  /** How the agent reaches it. */
  readonly endpoint: Endpoint;
  /**
   * Aborts every running call, because the turn was cancelled. The agent gets an error as the result
   * when `until` has settled, at the latest after one second: an agent that got it before it has read the
   * cancel would go on with the turn. Default: at once.
   */
  cancelCalls(until?: Promise<unknown>): void;
  /** Aborts every running call and closes the server. Resolves when nothing is left. Never rejects. */
  close(): Promise<void>;
}

/** How to open a tool server. */
interface OpenToolServerOptions {
  /** Called with true when a call starts, and with false when it ends. */
  readonly onActive?: ((active: boolean) => void) | undefined;
}

/**
 * Tools in this process that an agent can call. Put it into the `mcpServers` of a session, of `dragoman`
 * or `dragoman/droid`: the session opens it, and closes it when it ends. One server can be in any number
 * of sessions.
 */
export interface ToolServer {
  /** Distinguishes a tool server from other MCP servers. */
  readonly type: "tools";
  readonly name: string;
  /** The transport to use; undefined for the best one that the agent supports. */
  readonly transport: ToolTransport | undefined;
  /**
   * Opens the server for an MCP client of your own; sessions do this by themselves. Rejects with
   * ToolServerError (`unavailable`).
   */
  open(transport: "acp", options?: OpenToolServerOptions): Promise<OpenToolServer<AcpToolEndpoint>>;
  /** Opens the server over HTTP. */
  open(
    transport: "http",
    options?: OpenToolServerOptions,
  ): Promise<OpenToolServer<HttpToolEndpoint>>;
  /** Opens the server for the bridge command. */
  open(
    transport: "stdio",
    options?: OpenToolServerOptions,
  ): Promise<OpenToolServer<StdioToolEndpoint>>;
  /** Opens the server over any transport. */
  open(transport: ToolTransport, options?: OpenToolServerOptions): Promise<OpenToolServer>;
}

const SERVER_OPTIONS: OptionNames<ToolServerOptions> = {
  name: true,
  tools: true,
  version: true,
  instructions: true,
  transport: true,
  maxCalls: true,
  bridge: true,
};

const DEFAULT_MAX_CALLS = 64;

/** Makes a tool server. Nothing runs until a session opens it. Throws ToolServerError. */
export function toolServer(options: ToolServerOptions): ToolServer {
  const fault = optionsFault(options, SERVER_OPTIONS, "toolServer");
  if (fault !== undefined) throw new ToolServerError("invalid_argument", fault);
  const { name, version = "1.0.0", instructions, transport } = options;
  const tools = new Map(options.tools.map((tool) => [tool.name, tool]));
  if (tools.size < options.tools.length) {
    const names = options.tools.map((tool) => tool.name);
    const twice = new Set(names.filter((one, at) => names.indexOf(one) < at));
    const why = `several tools of the server "${name}" have the same name: ${[...twice].join(", ")}`;
    throw new ToolServerError("invalid_argument", why);
  }
  const served: ServedTools = { info: { name, version }, instructions, tools };
  const open = <Transport extends ToolTransport>(
    by: Transport,
    { onActive = () => {} }: OpenToolServerOptions = {},
  ): Promise<OpenToolServer<Endpoints[Transport]>> => {
    const calls = new ToolCalls(options.maxCalls ?? DEFAULT_MAX_CALLS, onActive);
    const handle: ToolAnswer = (request) => quietly(() => answerRequest(served, calls, request));
    const openers: Openers = {
      acp: async () => opened({ type: "acp", name, handle }, calls, async () => {}),
      http: async () => {
        const http = await serveHttp(handle);
        const { url, headers } = http;
        return opened({ type: "http", name, url, headers }, calls, () => http.close());
      },
      stdio: async () => {
        const bridge = await serveBridge(handle, options.bridge);
        const { command, args, env } = bridge;
        return opened({ type: "stdio", name, command, args, env }, calls, () => bridge.close());
      },
    };
    return quietly(() => openers[by]());
  };
  return { type: "tools", name, transport, open };
}

interface Endpoints {
  readonly acp: AcpToolEndpoint;
  readonly http: HttpToolEndpoint;
  readonly stdio: StdioToolEndpoint;
}

type Openers = {
  readonly [Transport in ToolTransport]: () => Promise<OpenToolServer<Endpoints[Transport]>>;
};

function opened<Endpoint extends ToolEndpoint>(
  endpoint: Endpoint,
  calls: ToolCalls,
  closeTransport: () => Promise<void>,
): OpenToolServer<Endpoint> {
  let closed: Promise<void> | undefined;
  const close = (): Promise<void> => {
    if (closed) return closed;
    calls.cancel(new Error("the session was closed"));
    closed = closeTransport().catch(() => {});
    return closed;
  };
  return {
    endpoint,
    cancelCalls: (until) => calls.cancel(new Error("the turn was cancelled"), until),
    close,
    [Symbol.asyncDispose]: close,
  };
}
