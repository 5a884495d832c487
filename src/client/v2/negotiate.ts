import {
  AGENT_METHODS,
  type InitializeRequest,
  type InitializeResult,
  isCrowRefusal,
  readInitializeResult,
} from "../../acp/index.ts";
import type { SwitchingRewriter } from "../../rpc/index.ts";
import { toError } from "../../wire/index.ts";
import type { AgentConnection } from "../connection/connection.ts";
import { UnsupportedVersionError } from "../errors.ts";
import type { HostCallOptions } from "../session/session-host.ts";

/**
 * Which version of the protocol to use: exactly 1, exactly 2, or the newest that the agent speaks.
 */
export type ProtocolChoice = 1 | 2 | "newest";

/** A connection that is being initialised, and the ways to do that. */
export interface Negotiation {
  readonly connection: AgentConnection;
  readonly rewriter: SwitchingRewriter;
  readonly params: InitializeRequest;
  readonly options: () => HostCallOptions;
  /** Initialises in v1, in whatever dialect the agent speaks. */
  readonly inV1: () => Promise<InitializeResult>;
}

/**
 * Initialises an agent that may speak v2. The first request has the forms of both versions; the answer
 * decides. An agent of v1 gets a second request in its own form, because a router in front of it may have
 * read only the fields of v2. Rejects with UnsupportedVersionError if v2 is demanded and the agent
 * does not speak it.
 */
export async function negotiate(
  choice: 2 | "newest",
  negotiation: Negotiation,
): Promise<InitializeResult> {
  // Loaded here, because most connections never need it.
  const v2 = await import("../../v2/index.ts");
  const { connection, rewriter, params, options } = negotiation;
  // Runs in wire order, so that the next frame is read in the version of this answer.
  const accept = (result: unknown): InitializeResult => {
    if (!v2.isV2Result(result)) return readInitializeResult(result);
    rewriter.use(v2.v2AgentRewriter(result));
    return { ...readInitializeResult(v2.initializeResultToV1(result)), raw: result };
  };
  let first: InitializeResult;
  try {
    const both = v2.bothForms({ ...params });
    first = await connection.call(AGENT_METHODS.initialize, both, accept, options());
  } catch (error) {
    const supported = v2.supportedVersions(error);
    const speaksV1 = supported?.includes(1) === true || isCrowRefusal(error);
    if (choice === "newest" && speaksV1) return await negotiation.inV1();
    if (supported)
      throw new UnsupportedVersionError(Math.max(...supported), choice, toError(error));
    throw error;
  }
  if (v2.isV2Result(first.raw)) return first;
  // Some agents of v1 repeat the requested number.
  if (choice === 2) throw new UnsupportedVersionError(first.protocolVersion, choice);
  return await negotiation.inV1().catch(() => ({ ...first, protocolVersion: 1 }));
}
