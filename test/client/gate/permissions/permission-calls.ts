import { join } from "node:path";
import type { PermissionRequest } from "../../../../src/client/gate/permissions/policy.ts";
import type { PermissionDecision } from "../../../../src/protocol/acp/index.ts";
import { OPTIONS, type Harness } from "../harness.ts";

export const METHOD = "session/request_permission";
export const selected = (optionId: string) => ({ outcome: { outcome: "selected", optionId } });
export const CANCELLED = { outcome: { outcome: "cancelled" } };

/** The params of a permission request for the tool call `t1`. */
export const call = (fields: object = {}, options: readonly object[] = OPTIONS) => ({
  toolCall: { toolCallId: "t1", ...fields },
  options,
});

/** A permission function that answers from a list and records its requests. Repeats the last answer. */
export function scriptedAsk(...answers: readonly unknown[]) {
  const requests: PermissionRequest[] = [];
  let next = 0;
  const ask = (request: PermissionRequest): PermissionDecision => {
    requests.push(request);
    return answers[Math.min(next++, answers.length - 1)] as PermissionDecision;
  };
  return { ask, requests };
}

export const CAN_WRITE = { fs: { writeTextFile: true } };

export const write = (h: Harness, name: string): Promise<unknown> =>
  h.ask("fs/write_text_file", { path: join(h.tree.ws, name), content: "x" });
