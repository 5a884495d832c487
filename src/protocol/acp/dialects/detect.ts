import { isJsonObject as isObject, type JsonObject } from "../../../base/index.ts";
import type { Rewriter } from "../../../transport/rpc/index.ts";
import { canonicalDialect } from "./canonical.ts";
import {
  rewriteEach,
  CrowAgent,
  CrowClient,
  type CrowOptions,
  type DialectRole,
  isCrowRefusal,
} from "./crow.ts";

/** The dialects of ACP: the protocol as specified, and that of crow. */
export type DialectName = "canonical" | "crow";

/** A rewriter that detects from `initialize` which dialect the other side speaks. */
export interface DetectingRewriter extends Rewriter {
  /** The dialect in use. */
  readonly dialect: DialectName;
  /** Speaks crow from now on, without waiting for `initialize`. */
  useCrow(): void;
  /** Returns to canonical ACP. */
  useCanonical(): void;
}

/**
 * Creates a rewriter that starts out canonical. On the agent's side, each received `initialize` sets
 * the dialect; on the client's side, each response to one does. snake_case means crow. It never
 * throws. Create one per connection.
 */
export function detectingRewriter(role: DialectRole, options: CrowOptions = {}): DetectingRewriter {
  const canonical = canonicalDialect();
  const crow = role === "client" ? new CrowClient(options) : new CrowAgent(options);
  const initializes = new Set<unknown>();
  let dialect: DialectName = "canonical";

  const detectFromRead = (message: JsonObject): void => {
    if (role === "agent") {
      if (message["method"] === "initialize") dialect = dialectOf(message["params"]) ?? dialect;
    } else if (initializes.size > 0 && message["method"] === undefined) {
      if (initializes.delete(message["id"])) dialect = dialectOf(message["result"]) ?? dialect;
    }
  };
  const trackInitialize = (message: JsonObject): void => {
    if (role !== "client" || message["method"] !== "initialize") return;
    initializes.add(message["id"]);
    if (crow instanceof CrowClient) crow.expect(message["id"], "initialize");
  };

  return {
    get dialect() {
      return dialect;
    },
    useCrow() {
      dialect = "crow";
    },
    useCanonical() {
      dialect = "canonical";
    },
    read(message) {
      detectFromRead(message);
      if (dialect === "canonical") return canonical.read(message);
      return rewriteEach(crow.read(message), (next) => canonical.read(next));
    },
    write(message) {
      trackInitialize(message);
      const written = canonical.write(message);
      if (dialect === "canonical") return written;
      return rewriteEach(written, (next) => crow.write(next));
    },
  };
}

const CROW_KEYS = [
  "protocol_version",
  "client_capabilities",
  "client_info",
  "agent_capabilities",
  "agent_info",
];

/** The dialect of the params or result of `initialize`; undefined when it shows neither spelling. */
function dialectOf(value: unknown): DialectName | undefined {
  if (!isObject(value)) return undefined;
  if (Object.hasOwn(value, "protocolVersion")) return "canonical";
  return CROW_KEYS.some((key) => Object.hasOwn(value, key)) ? "crow" : undefined;
}

/**
 * Sends `initialize`, and sends it again in crow's spelling if the agent reports the canonical params
 * as invalid. `initialize` is called once or twice and must send through `rewriter`. If the agent
 * reports both as invalid, the connection returns to canonical ACP and the promise rejects with the
 * first error.
 */
export async function retryInitializeInCrow<T>(
  rewriter: DetectingRewriter,
  initialize: () => Promise<T>,
): Promise<T> {
  try {
    return await initialize();
  } catch (first) {
    if (rewriter.dialect === "crow" || !isCrowRefusal(first)) throw first;
    rewriter.useCrow();
    try {
      return await initialize();
    } catch (second) {
      rewriter.useCanonical();
      throw isCrowRefusal(second) ? first : second;
    }
  }
}
