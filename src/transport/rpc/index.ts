export { CallCancelledError, ConnectionError, RemoteError, RpcError } from "./errors.ts";
export type { ErrorObject } from "./messages.ts";
export type { CallOptions } from "./outbound.ts";
export {
  type Envelope,
  plainEnvelope,
  classifyMessage,
  type Message,
  MESSAGE_MEMBERS,
  type RequestId,
  RpcCode,
} from "./messages.ts";
export {
  type Rewriter,
  type RewriterEnds,
  type SwitchingRewriter,
  switchingRewriter,
} from "./rewriter.ts";
export { rpcCodeOf, toErrorObject } from "./errors.ts";
export type { RequestContext } from "./inbound.ts";
export { type Release, type InboxLimits, DEFAULT_INBOX_LIMITS, Inbox } from "./inbox.ts";
export type { AcceptingCallOptions } from "./outbound.ts";
export * from "./peer.ts";
export { RequestLoad, TOO_MANY_REQUESTS } from "./request-load.ts";
