/** The version number of the draft, as `initialize` names it. */
export const V2 = 2;

/**
 * The release of the protocol's SDK whose `schema/v2` this layer follows. The draft itself has no
 * number on the wire. A test compares the schema with a recorded list of its definitions.
 */
export const V2_SCHEMA_VERSION = "2.4.0";

/** The methods of v2 that have another name in v1, or none. */
export const V2_METHODS = {
  login: "auth/login",
  logout: "auth/logout",
  cancelToolCall: "tool_call/cancel",
  cancelTerminal: "terminal/cancel",
} as const;

/** The error of an agent that supports none of the versions up to the requested one. */
export const UNSUPPORTED_VERSION = -32022;

/** The methods of v1 that v2 removed, by the side that answers them. */
export const REMOVED_FROM_AGENTS: ReadonlySet<string> = /* @__PURE__ */ new Set([
  "authenticate",
  "logout",
  "session/load",
  "session/set_mode",
]);
export const REMOVED_FROM_CLIENTS: ReadonlySet<string> = /* @__PURE__ */ new Set([
  "fs/read_text_file",
  "fs/write_text_file",
  "terminal/create",
  "terminal/output",
  "terminal/wait_for_exit",
  "terminal/kill",
  "terminal/release",
]);

/** The `_meta` keys under which a translated object keeps the part that the other version lacks. */
export const META_KEYS = {
  /** The status of a tool call, a stop reason or an option kind as the agent sent it. */
  raw: "dragoman/raw",
  /** The texts of a v1 diff, of which v2 has only the patch. */
  texts: "dragoman/texts",
  /** The operation of a v1 diff, of which v1 has no field: `delete` for a file that is gone. */
  operation: "dragoman/operation",
} as const;
