import { expect, test } from "vitest";

import * as acp from "../../../src/protocol/acp/index.ts";

test.each([
  [acp.isStopReason, acp.STOP_REASONS],
  [acp.isToolKind, acp.TOOL_KINDS],
  [acp.isToolCallStatus, acp.TOOL_CALL_STATUSES],
  [acp.isPermissionOptionKind, acp.PERMISSION_OPTION_KINDS],
  [acp.isPlanPriority, acp.PLAN_PRIORITIES],
  [acp.isPlanStatus, acp.PLAN_STATUSES],
] as const)("a guard accepts exactly the words of its list (%#)", (guard, words) => {
  for (const word of words) expect(guard(word)).toBe(true);
  for (const other of ["", "constructor", "END_TURN", "error", 1, null, undefined, [], {}]) {
    expect(guard(other)).toBe(false);
  }
});
