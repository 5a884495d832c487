/** What both `dragoman/hub` and `dragoman/fleet` publish. */
export type * from "./events.ts";
export type * from "./options.ts";
export { type HubRoot, type HubRoots, openRoots } from "./roots.ts";
