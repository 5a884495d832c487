import { type PermissionChoice, readPermissionResult } from "../../../protocol/acp/index.ts";
import { allows } from "../../../client/index.ts";
import type { PolicyOutcome } from "../options.ts";
import type { AuditEntry } from "../audit.ts";

/** The facts about a request that the audit log gets. */
export type JudgedFacts = Pick<AuditEntry, "kind" | "targets">;

export type HubVerdict = Pick<AuditEntry, "decision" | "by">;

/** A request whose targets could not be read. */
export const UNKNOWN_FACTS: JudgedFacts = {
  kind: "other",
  targets: { paths: [], commands: [], isComplete: true },
};

export const CANCELLED: HubVerdict = { decision: "cancel", by: { type: "cancelled" } };

/** Pure: the verdict of a forwarded question, of which a client chose this option. */
export function verdictOn(
  outcome: PolicyOutcome,
  choice: PermissionChoice | undefined,
): HubVerdict {
  if (outcome.kind === "cancelled") return CANCELLED;
  if (outcome.kind === "unattended") return { decision: "cancel", by: { type: "unattended" } };
  const by = { type: "client", client: outcome.by } as const;
  if (!choice) return { decision: "cancel", by };
  return { decision: allows(choice) ? "allow" : "deny", by };
}

/** Pure: the verdict of forwarded work, which a client did or refused. */
export function verdictOnWork(outcome: PolicyOutcome): HubVerdict {
  switch (outcome.kind) {
    case "cancelled":
    case "unattended":
      return verdictOn(outcome, undefined);
    case "result":
      return { decision: "allow", by: { type: "client", client: outcome.by } };
    case "error":
      return { decision: "deny", by: { type: "client", client: outcome.by } };
  }
}

/** Pure: the option that the result of a permission request selects; undefined if it selects none. */
export function chosenOption(
  result: unknown,
  options: readonly PermissionChoice[],
): PermissionChoice | undefined {
  try {
    const outcome = readPermissionResult(result);
    if (outcome.outcome !== "selected") return undefined;
    return options.find(({ optionId }) => optionId === outcome.optionId);
  } catch {
    // An unknown outcome must never count as consent.
    return undefined;
  }
}
