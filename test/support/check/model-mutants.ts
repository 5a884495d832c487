/** A defect of model-agent.mjs, and every requirement that it breaks. */
export interface Mutant {
  readonly defect: string;
  readonly ids: readonly string[];
}

function mutant(defect: string, ...ids: readonly string[]): Mutant {
  return { defect, ids };
}

/** The agents with a model that have one defect each. */
export const modelMutants: readonly Mutant[] = [
  mutant("colliding-ids", "DRA-RPC-02"),
  mutant("error-hangs", "DRA-RPC-06"),
  mutant("custom-required", "DRA-EXT-03"),
  mutant("process-cwd", "DRA-SES-01"),
  mutant("crossed-updates", "DRA-SES-05"),
  mutant("permission-blocks", "DRA-SES-06"),
  mutant("extra-roots-ignored", "DRA-DIR-01"),
  mutant("replays-nothing", "DRA-LOAD-01"),
  mutant("replays-no-tools", "DRA-LOAD-01"),
  mutant("replays-twice", "DRA-LOAD-01"),
  mutant("load-forgets", "DRA-LOAD-02"),
  mutant("load-resets-settings", "DRA-LOAD-06"),
  mutant("resume-forgets", "DRA-RESUME-01"),
  mutant("cancel-is-end-turn", "ACP-CLOSE-002", "ACP-CANCEL-001", "DRA-CAN-01"),
  mutant("cancel-is-error", "ACP-CLOSE-002", "ACP-CANCEL-001", "DRA-CAN-01"),
  mutant("close-leaks-servers", "DRA-CLOSE-01"),
  mutant("close-keeps-session", "DRA-CLOSE-01"),
  mutant("unknown-stop-reason", "ACP-PROMPT-001"),
  mutant("wrong-session-id", "ACP-PROMPT-002"),
  mutant("refuses-links", "ACP-PROMPT-003"),
  mutant("refuses-images", "ACP-PROMPTCAP-001"),
  mutant("refuses-audio", "ACP-PROMPTCAP-002"),
  mutant("refuses-resources", "ACP-PROMPTCAP-003"),
  mutant("drops-content", "DRA-PROMPT-01"),
  mutant("breaks-characters", "DRA-PROMPT-02"),
  mutant("late-chunk", "DRA-PROMPT-03"),
  mutant("always-end-turn", "DRA-PROMPT-04"),
  mutant("silent-failure", "DRA-PROMPT-05"),
  mutant("drops-second-prompt", "DRA-PROMPT-06"),
  mutant("hangs-on-unknown-block", "DRA-PROMPT-07"),
  mutant("slash-hangs", "DRA-PROMPT-08"),
  mutant("fails-for-good", "DRA-PROMPT-09"),
  mutant("thoughts-as-text", "DRA-UPD-03"),
  mutant("unreported-tools", "DRA-TOOL-01"),
  mutant("leaves-calls-open", "DRA-TOOL-05"),
  mutant("leaves-calls-open-on-cancel", "DRA-TOOL-05"),
  mutant("failed-is-completed", "DRA-TOOL-06"),
  mutant("no-diff", "DRA-TOOL-08"),
  mutant("one-call-per-step", "DRA-TOOL-10"),
  mutant("same-option-ids", "DRA-PERM-01"),
  mutant("only-first-option", "DRA-PERM-02"),
  mutant("rejected-runs", "DRA-PERM-03"),
  mutant("acts-before-answer", "DRA-PERM-04"),
  mutant("error-is-allowed", "DRA-PERM-05"),
  mutant("unknown-is-allowed", "DRA-PERM-05"),
  mutant("once-is-always", "DRA-PERM-06"),
  mutant("fs-unoffered", "ACP-CLIENTCAP-001"),
  mutant("prefers-disk", "DRA-FS-02"),
  mutant("changes-line-ends", "DRA-FS-02"),
  mutant("needs-old-file", "DRA-FS-03"),
  mutant("client-errors-end-turn", "DRA-FS-03", "DRA-TERM-04"),
  mutant("terminal-unoffered", "ACP-CLIENTCAP-002"),
  mutant("leaks-terminals", "DRA-TERM-01"),
  mutant("leaks-on-cancel", "DRA-TERM-01"),
  mutant("shell-line", "DRA-TERM-03"),
  mutant("hides-exit", "DRA-TERM-04"),
  mutant("elicits-unoffered", "ACP-CLIENTCAP-003"),
  mutant("decline-hangs", "DRA-ELI-02"),
  mutant("no-plan", "DRA-PLAN-01"),
  mutant("partial-plan", "DRA-PLAN-02"),
  mutant("mcp-no-env", "DRA-MCP-01"),
  mutant("mcp-hidden", "DRA-MCP-02"),
  mutant("mcp-waits", "DRA-MCP-03"),
  mutant("mcp-no-headers", "DRA-MCP-04"),
  mutant("mcp-not-on-load", "DRA-MCP-05"),
  mutant("late-update-after-cancel", "ACP-CANCEL-002"),
  mutant("cancel-lost-early", "DRA-CAN-01"),
  mutant("cancel-waits-for-tools", "DRA-CAN-01"),
  mutant("model-not-aborted", "DRA-CAN-02"),
  mutant("cancel-poisons-next", "DRA-CAN-03"),
  mutant("idle-cancel-poisons", "DRA-CAN-04"),
  mutant("cancel-hits-all", "DRA-CAN-04"),
  mutant("cancel-request-answered-twice", "DRA-CAN-05"),
  mutant("drops-when-full", "DRA-ROB-04"),
  mutant("waits-for-answers", "DRA-ROB-05"),
  mutant("stays-in-turn", "DRA-END-01"),
  mutant("orphans", "DRA-END-02"),
];

/** A legal way to behave that not every agent has, and requirements that it must not break. */
export const modelVariations: readonly Mutant[] = [
  // The client runs a command in the folder of the session if the agent names none.
  mutant("terminal-without-cwd", "DRA-SES-01", "DRA-SES-05", "DRA-TERM-01"),
  // An update replaces all content of its call, so it names the terminal again after the release.
  mutant("repeats-terminal", "DRA-TOOL-09"),
];
