import type { CheckedSide, Requirement } from "../requirement.ts";
import { AGENT_BASICS } from "./agent-basics.ts";
import { AGENT_ENDINGS } from "./agent-endings.ts";
import { AGENT_SESSIONS } from "./agent-sessions.ts";
import { AGENT_SETTINGS } from "./agent-settings.ts";
import { AGENT_TOOLS } from "./agent-tools.ts";
import { AGENT_TURNS } from "./agent-turns.ts";
import { AGENT_V2 } from "./agent-v2.ts";
import { AGENT_V2_TURNS } from "./agent-v2-turns.ts";
import { CLIENT_BASICS } from "./client-basics.ts";
import { CLIENT_TOOLS } from "./client-tools.ts";
import { CLIENT_TURNS } from "./client-turns.ts";
import { CLIENT_V2 } from "./client-v2.ts";

/** The name of this set of requirements. A set does not change after its release. */
export const REQUIREMENT_SET = "2026-11";

/** Areas and ids of version 1 that are the same in version 2, because they are not about its methods. */
const COMMON_AREAS: ReadonlySet<string> = /* @__PURE__ */ new Set(["framing", "errors"]);
const COMMON_IDS: ReadonlySet<string> = /* @__PURE__ */ new Set([
  "ACP-JSONRPC-001",
  "ACP-JSONRPC-002",
  "ACP-JSONRPC-003",
  "ACP-JSONRPC-004",
  "ACP-JSONRPC-005",
  "DRA-RPC-01",
  "DRA-RPC-05",
  "ACP-INFO-PARSE-001",
  "ACP-INFO-INVALIDREQ-001",
  "ACP-SCHEMA-001",
  "ACP-SCHEMA-002",
  "ACP-EXT-001",
  "DRA-AUTH-05",
  "DRA-ROB-01",
  "DRA-ROB-03",
  "ACP-STDERR-001",
  "ACP-SHUTDOWN-001",
  "DRA-END-03",
  "DRC-FRAME-01",
]);

function agentV1(): readonly Requirement[] {
  return [
    AGENT_BASICS,
    AGENT_SESSIONS,
    AGENT_TURNS,
    AGENT_TOOLS,
    AGENT_SETTINGS,
    AGENT_ENDINGS,
  ].flat(2);
}

function clientV1(): readonly Requirement[] {
  return [CLIENT_BASICS, CLIENT_TURNS, CLIENT_TOOLS].flat(2);
}

/** The requirements of version 1 that hold for version 2 as well. */
function shared(requirements: readonly Requirement[]): readonly Requirement[] {
  return requirements
    .filter(({ id, area }) => COMMON_IDS.has(id) || COMMON_AREAS.has(area))
    .map((requirement): Requirement => ({ ...requirement, protocol: 2 }));
}

/** Every requirement for one side and version, in the order of reports. */
export function requirementsFor(side: CheckedSide, protocol: 1 | 2): readonly Requirement[] {
  if (side === "client") {
    return protocol === 1 ? clientV1() : [...shared(clientV1()), ...CLIENT_V2.flat()];
  }
  if (protocol === 1) return agentV1();
  return inAreas([...shared(agentV1()), ...AGENT_V2.flat(), ...AGENT_V2_TURNS.flat()]);
}

/** Brings the requirements of an area together, in the order in which the areas first appear. */
function inAreas(requirements: readonly Requirement[]): readonly Requirement[] {
  const areas = [...new Set(requirements.map(({ area }) => area))];
  return areas.flatMap((name) => requirements.filter(({ area }) => area === name));
}
