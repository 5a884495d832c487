/** What `dragoman/hub` publishes. */
export * from "./public-hub.ts";
export {
  type AuditEntry,
  type AuditLog,
  type AuditLogOptions,
  type AuditSource,
  defaultAuditFile,
  openAuditLog,
} from "./audit.ts";
export { HUB_CODES } from "./errors.ts";
export { createHub } from "./hub.ts";
export { hubPolicy, type HubPolicyOptions } from "./policy/ruled-session.ts";
export { parseRoot, rootChecker, type RootCheckerOptions, RootError } from "./roots.ts";
export * from "./proxy.ts";
export { translatedAgent, translatedClient } from "./translate.ts";
export { serveHub, CredentialsError } from "./serve/serve.ts";
export { ExposedAddressError } from "./serve/addresses.ts";
export * from "./serve/owners.ts";
export type * from "./serve/options.ts";
