import {
  AGENT_METHODS,
  type InitializeRequest,
  type InitializeResult,
  isCrowRefusal,
  readInitializeResult,
} from "../../protocol/acp/index.ts";
import { RemoteError, type SwitchingRewriter } from "../../transport/rpc/index.ts";
import { toError } from "../../base/index.ts";
import type { AgentConnection } from "../connection/connection.ts";
import { UnsupportedVersionError } from "../errors.ts";
import type { HostCallOptions } from "../session/session-host.ts";
import { loadV2 } from "./load.ts";

/**
 * Which version of the protocol to use: exactly 1, exactly 2, or the newest that the agent speaks.
 */
export type ProtocolChoice = 1 | 2 | "newest";

/** A connection that is being initialized, and the ways to do that. */
export interface Negotiation {
  readonly connection: AgentConnection;
  readonly rewriter: SwitchingRewriter;
  readonly params: InitializeRequest;
  readonly options: () => HostCallOptions;
  /** Initializes in v1, in the dialect that the agent speaks. */
  readonly inV1: () => Promise<InitializeResult>;
}

/**
 * Initializes an agent that may speak v2. If v1 is an alternative, the first request has the forms of both
 * versions, and the answer decides. An agent of v1 then gets a second request in its own form, because a
 * router in front of it may have read only the fields of v2. Rejects with UnsupportedVersionError if v2 is demanded and the agent
 * does not speak it.
 */
export async function negotiate(
  choice: 2 | "newest",
  negotiation: Negotiation,
): Promise<InitializeResult> {
  const v2 = await loadV2();
  const { connection, rewriter, params, options } = negotiation;
  // Runs in wire order, so that the next frame is read in the version of this answer.
  const accept = (result: unknown): InitializeResult => {
    if (!v2.isV2InitializeResult(result)) return readInitializeResult(result);
    rewriter.use(v2.v2AgentRewriter(result));
    return { ...readInitializeResult(v2.initializeResultToV1(result)), raw: result };
  };
  let first: InitializeResult;
  try {
    const asked =
      choice === 2
        ? v2.initializeParamsToV2({ ...params })
        : v2.initializeParamsToBoth({ ...params });
    first = await connection.call(AGENT_METHODS.initialize, asked, accept, options());
  } catch (error) {
    const supported = isCrowRefusal(error) ? [1] : (v2.initializeErrorVersions(error) ?? []);
    if (supported.length === 0) throw error;
    if (choice === "newest" && supported.includes(1)) return await negotiation.inV1();
    throw new UnsupportedVersionError(Math.max(...supported), choice, toError(error));
  }
  if (v2.isV2InitializeResult(first.raw)) return first;
  // Some agents of v1 repeat the requested number.
  if (choice === 2) throw new UnsupportedVersionError(Math.min(first.protocolVersion, 1), choice);
  return await negotiation.inV1().catch(() => ({ ...first, protocolVersion: 1 }));
}

/** The error for an agent that has no version 1, if that is what it answered; otherwise the error itself. */
export async function withoutV1(error: unknown): Promise<unknown> {
  if (!(error instanceof RemoteError)) return error;
  const { initializeErrorVersions } = await loadV2();
  const supported = initializeErrorVersions(error) ?? [];
  if (supported.length === 0) return error;
  return new UnsupportedVersionError(Math.max(...supported), undefined, error);
}
