/** A defect of test/support/check/client.mjs, and the requirement that it breaks. */
export interface ClientMutant {
  readonly protocol: 1 | 2;
  readonly defect: string;
  readonly id: string;
  /** Further requirements that it necessarily breaks. */
  readonly also?: readonly string[];
}

/** `also`: the ids of further requirements, separated by spaces. */
function v1(id: string, defect: string, also = ""): ClientMutant {
  const others = also.split(" ").filter((other) => other !== "");
  return { protocol: 1, id: `DRC-${id}`, defect, also: others.map((other) => `DRC-${other}`) };
}

function v2(id: string, defect: string, ...also: readonly string[]): ClientMutant {
  return { protocol: 2, id: `DRC2-${id}`, defect, also };
}

/** One defect of each requirement. */
export const clientMutants: readonly ClientMutant[] = [
  v1("INIT-01", "no-version", "FRAME-01"),
  v1("INIT-02", "no-info"),
  v1("INIT-03", "any-version"),
  v1("INIT-04", "needs-auth-methods"),
  v1("FRAME-01", "extra-key"),
  v1("FRAME-02", "noise-fatal"),
  v1("FRAME-03", "answers-noise"),
  v1("FRAME-04", "decodes-chunks", "FRAME-05"),
  v1("FRAME-05", "dies-of-large-lines"),
  v1("RPC-01", "silent-unknown"),
  v1("RPC-02", "answers-notifications"),
  v1("RPC-03", "numeric-ids"),
  v1("RPC-04", "lax-params"),
  v1("RPC-05", "stray-fatal"),
  v1("RPC-06", "few-requests", "TERM-06 TERM-07 TERM-09"),
  v1("RPC-07", "drops-updates-in-a-burst", "END-05"),
  v1("RPC-08", "answers-withdrawn"),
  v1("SES-01", "http-servers"),
  v1("SES-02", "always-lists"),
  v1("SES-03", "unchecked-option"),
  v1("SES-04", "terminal-authenticate"),
  v1("SES-05", "all-sessions"),
  v1("SES-06", "prompt-early", "SES-07"),
  v1("SES-07", "replay-in-answer"),
  v1("SES-08", "re-encodes-cursor"),
  v1("SES-09", "load-error-ignored"),
  v1("PRM-01", "always-image"),
  v1("PRM-02", "one-ending"),
  v1("PRM-03", "thoughts-in-answer"),
  v1("PRM-04", "late-text", "SES-07"),
  v1("UPD-01", "unknown-update-fatal"),
  v1("UPD-02", "strict-chunks"),
  v1("UPD-03", "strict-options"),
  v1("UPD-04", "strict-calls"),
  v1("UPD-05", "merges-plans"),
  v1("UPD-06", "sets-modes"),
  v1("PERM-01", "invents-option", "PERM-02 PERM-03 PERM-04 PERM-05"),
  v1("PERM-02", "first-option", "PERM-03 PERM-04"),
  v1("PERM-03", "any-option"),
  v1("PERM-04", "first-of-kind"),
  v1("PERM-05", "forgets-questions", "ELI-03"),
  v1("PERM-06", "unanswered-foreign"),
  v1("CAN-01", "cancel-twice"),
  v1("CAN-02", "leaves-at-cancel", "PERM-05 CAN-04"),
  v1("CAN-03", "waits-forever", "END-04"),
  v1("CAN-04", "cancels-next"),
  v1("FS-01", "serves-anyway"),
  v1("FS-02", "normalises-newlines"),
  v1("FS-03", "counts-from-zero"),
  v1("FS-04", "missing-is-internal"),
  v1("FS-05", "adds-newline"),
  v1("FS-06", "relative-paths"),
  v1("FS-07", "prefix-jail"),
  v1("FS-08", "any-session", "TERM-08"),
  v1("TERM-01", "terminals-anyway"),
  v1("TERM-02", "one-terminal-id", "TERM-03 TERM-04 TERM-05 TERM-06 TERM-07 TERM-08"),
  v1("TERM-03", "early-exit-status"),
  v1("TERM-04", "shell-args", "TERM-02 TERM-03 TERM-05 TERM-06 TERM-07 TERM-08 TERM-09"),
  v1("TERM-05", "keeps-the-beginning"),
  v1("TERM-06", "kills-leader", "TERM-07 TERM-09"),
  v1("TERM-07", "keeps-released"),
  v1("TERM-08", "unknown-command-ok"),
  v1("TERM-09", "leaves-terminals"),
  v1("ELI-01", "any-mode"),
  v1("ELI-02", "sloppy-form"),
  v1("ELI-03", "accepts-alone"),
  v1("ELI-04", "fetches-url"),
  v1("ELI-05", "complete-fatal"),
  v1("END-01", "silent-death"),
  v1("END-02", "no-sigterm", "END-04"),
  v1("END-03", "kills-at-once"),
  v1("END-04", "leaves-children"),
  v1("END-05", "drops-updates"),
  v1("END-06", "ignores-stderr", "END-01"),
  { protocol: 2, id: "DRC-FRAME-01", defect: "extra-key", also: ["DRC2-INIT-01"] },
  v2("INIT-01", "v2-only"),
  v2("PRM-01", "v2-ends-at-answer", "DRC2-ENUM-01"),
  v2("UPD-01", "v2-null-fatal"),
  v2("RES-01", "v2-replay-fatal"),
  v2("PERM-01", "v2-approves"),
  v2("ENUM-01", "v2-strict-enums"),
];

/** More defects of single parts of a requirement, for `npm run test:all -- soak`. */
export const furtherClientMutants: readonly ClientMutant[] = [
  v1("SES-01", "any-transport"),
  v1("SES-01", "typed-stdio", "FRAME-01"),
  v1("SES-01", "stdio-on-demand"),
  v1("SES-01", "drops-server-env"),
  v1("SES-03", "unchecked-mode"),
  v1("SES-03", "untyped-switch", "FRAME-01"),
  v1("SES-06", "needs-load-result"),
  v1("SES-06", "forgets-loaded-modes"),
  v1("RPC-07", "questions-first"),
  v1("FS-04", "folders-are-empty"),
  v1("FS-04", "reads-binary"),
  v1("FS-07", "reads-devices", "FS-04"),
  v1("ELI-03", "forgets-forms"),
  v1("END-01", "hides-code"),
  v1("END-01", "hides-stderr"),
  v1("END-01", "dies-silently-in-cancel"),
  v1("END-02", "no-limit"),
  v2("UPD-01", "v2-appends"),
  v2("RES-01", "v2-drops-replay"),
  v2("RES-01", "v2-replay-in-answer"),
  v2("PERM-01", "v2-any-kind"),
  v2("ENUM-01", "v2-any-ending"),
  v2("INIT-01", "v2-forms", "DRC-FRAME-01"),
];
