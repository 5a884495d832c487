/** `dragoman/droid`: a client for Factory's Droid, over `droid exec` with stream-jsonrpc. */
export * from "./public.ts";
export { type InstructionsFile, writeInstructions } from "./process/prepared.ts";
export { permissionOptionKind, switchesSession } from "./protocol/requests.ts";
export { findSession } from "./session/session-files.ts";
export { capabilitiesOf, testedRange } from "./protocol/versions.ts";
