import { selectIds } from "../../../src/conformance/check/selection.ts";
import { requirementsFor } from "../../../src/conformance/index.ts";
import type { AgentRigName } from "./agent-rigs.ts";

/**
 * The correct agent that passes each requirement. A word is an id, an area, or a pattern, as for `--only`.
 * The first row that names a requirement counts.
 */
const ROWS: Readonly<Record<1 | 2, readonly (readonly [AgentRigName, readonly string[]])[]>> = {
  1: [
    ["basic with a sign-in", ["ACP-AUTH-001", "ACP-AUTH-003", "ACP-AUTH-004"]],
    ["basic with a sign-in", ["DRA-AUTH-02", "DRA-AUTH-03", "DRA-AUTH-04"]],
    ["model program", ["shutdown", "DRA-CLOSE-01", "DRA-ROB-04"]],
    ["model", ["prompt", "permission", "plans", "mcp", "cancel"]],
    ["model", ["DRA-RPC-02", "DRA-RPC-06", "DRA-EXT-03"]],
    ["model", ["DRA-SES-01", "DRA-SES-05", "DRA-SES-06", "DRA-DIR-01"]],
    ["model", ["DRA-LOAD-01", "DRA-LOAD-02", "DRA-LOAD-06", "DRA-RESUME-01"]],
    ["model", ["ACP-CLOSE-002", "DRA-UPD-03"]],
    ["model", ["DRA-TOOL-01", "DRA-TOOL-05", "DRA-TOOL-06", "DRA-TOOL-08", "DRA-TOOL-10"]],
    ["model", ["ACP-CLIENTCAP-*", "DRA-FS-02", "DRA-FS-03", "DRA-ELI-02", "DRA-MODE-01"]],
    ["model", ["DRA-TERM-01", "DRA-TERM-03", "DRA-TERM-04", "DRA-ROB-05"]],
    ["basic", ["*"]],
  ],
  2: [
    ["version 2 with a sign-in", ["ACP-AUTH-201", "ACP-AUTH-203", "ACP-AUTH-204"]],
    ["version 2 with a sign-in", ["ACP-AUTH-206", "ACP-AUTH-207"]],
    ["version 2 program", ["shutdown"]],
    ["version 2", ["*"]],
  ],
};

/** The correct agent for each requirement of a version. */
export function correctAgents(protocol: 1 | 2): ReadonlyMap<string, AgentRigName> {
  const requirements = requirementsFor("agent", protocol);
  const found = new Map<string, AgentRigName>();
  for (const [name, only] of ROWS[protocol]) {
    for (const id of selectIds(requirements, { only, skip: [] })) {
      if (!found.has(id)) found.set(id, name);
    }
  }
  return found;
}

/** The requirements that a correct agent is named for. */
export function idsOf(name: AgentRigName, protocol: 1 | 2): ReadonlySet<string> {
  const named = [...correctAgents(protocol)].filter(([, rig]) => rig === name);
  return new Set(named.map(([id]) => id));
}
