export { plainEnvelope, type Envelope } from "./envelope.ts";
export {
  CallCancelledError,
  ConnectionError,
  RemoteError,
  RpcError,
  toErrorObject,
} from "./errors.ts";
export type { RequestContext } from "./inbound.ts";
export { DEFAULT_INBOX_LIMITS, Inbox, type InboxLimits, type Release } from "./inbox.ts";
export {
  classifyMessage,
  RpcCode,
  type ErrorObject,
  type Message,
  type RequestId,
  type Rewriter,
  type RewriterEnds,
} from "./messages.ts";
export type { AcceptingCallOptions, CallOptions } from "./outbound.ts";
export { Peer } from "./peer.ts";
export type { PeerHandlers, PeerOptions, PeerStats } from "./peer-options.ts";
export { switchingRewriter, type SwitchingRewriter } from "./switching-rewriter.ts";
