/** `dragoman/remote`: serve agents to clients on other machines, and reach such agents, over WebSocket and streamable HTTP. */
export * from "../transport/remote/public.ts";
export type { Overrides, ExitStatus } from "../base/index.ts";
export {
  type Channel,
  type CloseReason,
  ConnectError,
  createToken,
  hashToken,
  isAllowedHost,
  isAllowedOrigin,
  type Listener,
  type ListenerOptions,
  ListenError,
  type RefusalReason,
  LOOPBACK_NAMES,
} from "../transport/wire/index.ts";
