/** What `dragoman/hub` publishes. */
export * from "./public-hub.ts";
export * from "./audit/audit-log.ts";
export type { AuditEntry, AuditSource } from "./audit/entry.ts";
export { HUB_CODES } from "./errors.ts";
export * from "./hub.ts";
export * from "./policy/hub-policy.ts";
export type * from "./policy/policy-options.ts";
export { parseRoot, rootChecker, type RootCheckerOptions, RootError } from "./roots.ts";
export * from "./proxy.ts";
export * from "./translate/agent.ts";
export * from "./translate/client.ts";
export * from "./serve-hub.ts";
export type { FromFiles } from "./serve/from-files.ts";
export { ExposedAddressError } from "./serve/addresses.ts";
export { CredentialsError } from "./serve/credentials.ts";
export * from "./serve/owners.ts";
export type * from "./serve/options.ts";
