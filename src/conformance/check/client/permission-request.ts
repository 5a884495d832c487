import { objectField, stringField, type JsonObject } from "../../../base/index.ts";
import type { CheckingAgent } from "./agent.ts";

export interface OfferedOption {
  readonly optionId: string;
  readonly name: string;
  readonly kind: string;
}

/** One option of each kind. Their ids do not reveal the kind. */
export const PERMISSION_OPTIONS: readonly OfferedOption[] = [
  { optionId: "o-71", name: "Allow", kind: "allow_once" },
  { optionId: "o-12", name: "Always allow", kind: "allow_always" },
  { optionId: "o-93", name: "Reject", kind: "reject_once" },
  { optionId: "o-34", name: "Always reject", kind: "reject_always" },
];

let calls = 0;

/** The params of a permission request for a tool call that was not announced. */
export function permissionParams(
  agent: CheckingAgent,
  options: readonly OfferedOption[],
  more: JsonObject = {},
): JsonObject {
  calls += 1;
  return {
    sessionId: agent.sessionId,
    toolCall: {
      toolCallId: `check-call-${calls}`,
      title: "Run a command",
      kind: "execute",
      status: "pending",
      rawInput: { command: "true" },
    },
    options,
    ...more,
  };
}

/** The decision of the client: an option, `cancelled`, or something else. */
export function decisionOf(response: JsonObject): { optionId: string } | "cancelled" | "invalid" {
  const outcome = objectField(objectField(response, "result") ?? {}, "outcome");
  if (outcome?.["outcome"] === "cancelled") return "cancelled";
  const optionId =
    outcome?.["outcome"] === "selected" ? stringField(outcome, "optionId") : undefined;
  return optionId === undefined ? "invalid" : { optionId };
}
