import { asObject, stringField, type JsonObject } from "../../../base/index.ts";
import { resultOf, type CallReply } from "../harness/reply.ts";
import type { AgentQuestion, CheckingAgent } from "./agent.ts";

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

/** Asks for permission for a tool call that was not announced. `more`: params that replace others. */
export function beginPermission(agent: CheckingAgent, more: JsonObject = {}): AgentQuestion {
  calls += 1;
  const toolCall = {
    toolCallId: `check-call-${calls}`,
    title: "Run a command",
    kind: "execute",
    status: "pending",
    rawInput: { command: "true" },
  };
  const params = { sessionId: agent.sessionId, toolCall, options: PERMISSION_OPTIONS, ...more };
  return agent.begin("session/request_permission", params, { isInvalid: "options" in more });
}

/** The decision of the client: the id of an option, `cancelled`, or something else. */
export function decisionOf(
  reply: CallReply,
): { readonly optionId: string } | "cancelled" | "invalid" {
  const outcome = asObject(resultOf(reply)["outcome"]);
  if (outcome["outcome"] === "cancelled") return "cancelled";
  const optionId = outcome["outcome"] === "selected" ? stringField(outcome, "optionId") : undefined;
  return optionId === undefined ? "invalid" : { optionId };
}

/** Whether the decision is one of {@link PERMISSION_OPTIONS}, or `cancelled`. */
export function isOfferedPermission(reply: CallReply): boolean {
  const decision = decisionOf(reply);
  if (typeof decision === "string") return decision === "cancelled";
  return PERMISSION_OPTIONS.some(({ optionId }) => optionId === decision.optionId);
}
