import type { Mutant } from "./model-mutants.ts";

/** A defect of basic-agent.mjs that needs a variant of the agent, or options of the run. */
export interface BasicMutant extends Mutant {
  /** The agent asks for a sign-in. */
  readonly withLogin?: boolean;
}

function mutant(defect: string, ...ids: readonly string[]): BasicMutant {
  return { defect, ids };
}

function withLogin(defect: string, ...ids: readonly string[]): BasicMutant {
  return { defect, ids, withLogin: true };
}

/** Defects that need no process of their own. */
export const basicMutants: readonly BasicMutant[] = [
  mutant("banner", "ACP-TRANSPORT-001", "DRA-FRAME-01"),
  mutant("not-utf8", "ACP-TRANSPORT-002"),
  mutant("loses-single-bytes", "DRA-FRAME-02"),
  mutant("blank-line-ends", "DRA-FRAME-03"),
  mutant("zero-id-is-null", "ACP-JSONRPC-001"),
  mutant("result-and-error", "ACP-JSONRPC-002"),
  mutant("answers-notifications", "ACP-JSONRPC-003", "DRA-CAN-04"),
  mutant("unknown-is-null", "ACP-JSONRPC-004"),
  mutant("silent-after-error", "ACP-JSONRPC-005", "DRA-RPC-03", "DRA-SES-02"),
  mutant("answers-twice", "DRA-RPC-01"),
  mutant("params-are-internal", "DRA-RPC-03"),
  mutant("array-ends", "DRA-RPC-04"),
  mutant("stray-ends", "DRA-RPC-05"),
  mutant("invalid-update", "ACP-SCHEMA-001", "ACP-PROMPT-002"),
  mutant("root-keys", "ACP-SCHEMA-002"),
  mutant("refuses-meta", "ACP-META-001"),
  mutant("text-meta", "DRA-META-01", "ACP-PROMPT-002"),
  mutant("silent-custom", "ACP-EXT-001"),
  mutant("unknown-notification-ends", "DRA-EXT-01"),
  mutant("unprefixed-method", "DRA-EXT-02"),
  mutant("refuses-unknown-fields", "DRA-EXT-04"),
  mutant("text-version", "ACP-INIT-001", "ACP-INIT-002", "ACP-SCHEMA-001"),
  mutant("wrong-version", "ACP-INIT-002", "ACP-INIT-003"),
  mutant("echoes-version", "ACP-INIT-003", "DRA-INIT-01"),
  mutant("refuses-old-version", "DRA-INIT-01"),
  mutant("no-info", "ACP-INIT-004"),
  mutant("needs-capabilities", "DRA-INIT-02"),
  mutant("unadvertised-logout", "DRA-INIT-03"),
  mutant("resume-missing", "DRA-INIT-04", "ACP-RESUME-001", "DRA-LOAD-05", "DRA-RPC-03"),
  mutant("initialize-fails", "ACP-INIT-001", "DRA-INIT-02", "DRA-INIT-05", "DRA-FRAME-02"),
  withLogin("same-method-ids", "ACP-AUTH-001"),
  mutant("terminal-unasked", "ACP-AUTH-002"),
  withLogin("login-is-useless", "ACP-AUTH-003"),
  withLogin("logout-fails", "ACP-AUTH-004"),
  mutant("locked", "ACP-AUTH-005"),
  mutant("any-login", "DRA-AUTH-01"),
  withLogin("locked-is-internal", "DRA-AUTH-02", "ACP-SESSION-001"),
  withLogin("terminal-command", "DRA-AUTH-03", "ACP-SCHEMA-002"),
  withLogin("logout-keeps-login", "DRA-AUTH-04"),
  mutant("shows-secret", "DRA-AUTH-05"),
  mutant("empty-session-id", "ACP-SESSION-001", "DRA-SES-03"),
  mutant("same-session-ids", "ACP-SESSION-002", "DRA-SES-03"),
  mutant("relative-cwd", "DRA-SES-02"),
  mutant("racing-ids", "DRA-SES-03"),
  mutant("first-prompt-fails", "DRA-SES-04", "ACP-META-001"),
  mutant("refuses-roots", "ACP-ADDDIRS-001"),
  mutant("load-fails", "ACP-LOAD-001", "DRA-LOAD-04", "DRA-LOAD-05"),
  mutant("late-replay", "ACP-LOAD-002"),
  mutant("load-null", "ACP-LOAD-003"),
  mutant("unknown-loads", "DRA-LOAD-03"),
  mutant("loads-once", "DRA-LOAD-04"),
  mutant("load-needs-turn", "DRA-LOAD-05"),
  mutant("resume-needs-servers", "ACP-RESUME-001"),
  mutant("resume-replays", "ACP-RESUME-002"),
  mutant("list-is-null", "ACP-LIST-001", "ACP-LIST-002", "ACP-SCHEMA-001", "DRA-LIST-04"),
  mutant("ignores-filter", "ACP-LIST-002"),
  mutant("relative-list", "DRA-LIST-01"),
  mutant("repeats-pages", "DRA-LIST-02"),
  mutant("any-cursor", "DRA-LIST-03"),
  mutant("lists-memory-only", "DRA-LIST-04"),
  mutant("close-fails", "ACP-CLOSE-001", "DRA-LOAD-05"),
  mutant("delete-fails", "ACP-DELETE-001", "DRA-LOAD-05"),
  mutant("delete-needs-session", "ACP-DELETE-002"),
  mutant("delete-keeps", "DRA-DELETE-01"),
  mutant("foreign-session", "DRA-UPD-01", "ACP-PROMPT-002"),
  mutant("one-id-for-roles", "DRA-UPD-02"),
  mutant("odd-currency", "DRA-USE-01"),
  mutant("unannounced-call", "DRA-TOOL-02"),
  mutant("announced-twice", "DRA-TOOL-02"),
  mutant("reused-call-id", "DRA-TOOL-03"),
  mutant("reopened-call", "DRA-TOOL-04"),
  mutant("relative-path", "DRA-TOOL-07"),
  mutant("line-zero", "DRA-TOOL-07"),
  mutant("dead-terminal", "DRA-TOOL-09"),
  mutant("relative-fs-path", "DRA-FS-01"),
  mutant("relative-terminal", "DRA-TERM-02"),
  mutant("two-scopes", "DRA-ELI-01"),
  mutant("asks-for-password", "DRA-ELI-03"),
  mutant("unlisted-mode", "ACP-MODES-001"),
  mutant("set-mode-fails", "ACP-MODES-002", "DRA-CFG-03"),
  mutant("any-mode", "DRA-MODE-01"),
  mutant("unlisted-value", "ACP-CONFIG-001"),
  mutant("partial-options", "ACP-CONFIG-002"),
  mutant("boolean-unasked", "ACP-CONFIG-003"),
  mutant("same-option-ids", "DRA-CFG-01"),
  mutant("any-option", "DRA-CFG-02"),
  mutant("out-of-step", "DRA-CFG-03"),
  mutant("slash-in-name", "DRA-CMD-01"),
  mutant("error-in-two-lines", "ACP-ERROR-001"),
  mutant("http-code", "DRA-ERR-01"),
  mutant("nul-ends", "DRA-ROB-01"),
  mutant("long-line-ends", "DRA-ROB-02"),
  mutant("drops-floods", "DRA-ROB-03"),
];

/** Defects of the process itself. */
export const processMutants: readonly BasicMutant[] = [
  mutant("ignores-eof", "ACP-SHUTDOWN-001"),
  mutant("session-ignores-eof", "ACP-SHUTDOWN-001"),
  mutant("leaves-child", "DRA-END-03"),
  mutant("saves-late", "DRA-END-04"),
];

/** Legal ways to behave that not every agent has, and requirements that they must not break. */
export const basicVariations: readonly BasicMutant[] = [
  // The schema does not allow null.
  mutant("refuses-null-capabilities", "DRA-INIT-02"),
];
