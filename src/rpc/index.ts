export * from "./public.ts";
export * from "./envelope.ts";
export { toErrorObject } from "./errors.ts";
export type { RequestContext } from "./inbound.ts";
export * from "./inbox.ts";
export {
  classifyMessage,
  type Message,
  type RequestId,
  type Rewriter,
  type RewriterEnds,
  RpcCode,
} from "./messages.ts";
export type { AcceptingCallOptions } from "./outbound.ts";
export * from "./peer.ts";
export type * from "./peer-options.ts";
export { RequestLoad, TOO_MANY_REQUESTS } from "./request-load.ts";
export * from "./switching-rewriter.ts";
