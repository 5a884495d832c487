/** `dragoman/remote`: serve agents to clients on other machines, and reach such agents, over WebSocket and streamable HTTP. */
export * from "../remote/public.ts";
export {
  type Channel,
  type CloseReason,
  ConnectError,
  createToken,
  type ExitStatus,
  hashToken,
  isAllowedHost,
  isAllowedOrigin,
  type Listener,
  type ListenerOptions,
  ListenError,
  LOOPBACK_NAMES,
  type Overrides,
} from "../wire/index.ts";
