import { requirementsFor } from "../../index.ts";
import type { AgentCase, AssignedCase } from "./case.ts";
import {
  fileCases,
  permissionCases,
  questionCases,
  requestCases,
  terminalCases,
} from "./cases/client-side.ts";
import { authenticationCases, initializeCases } from "./cases/initialize.ts";
import { framingCases, paramsCases, robustnessCases, rpcCases } from "./cases/messages.ts";
import { mcpCases } from "./cases/mcp.ts";
import { contentCases, promptCases } from "./cases/prompt.ts";
import { historyCases, listCases, loadCases, sessionCases, workCases } from "./cases/sessions.ts";
import { modeCases, optionCases } from "./cases/settings.ts";
import { cancelCases, closeCases, endCases, shutdownCases } from "./cases/ends.ts";
import { planCases, toolCases } from "./cases/tools.ts";
import { V2_CASES } from "./cases/v2.ts";

const V1_CASES: readonly AgentCase[] = [
  framingCases,
  rpcCases,
  paramsCases,
  initializeCases,
  authenticationCases,
  sessionCases,
  loadCases,
  listCases,
  modeCases,
  optionCases,
  robustnessCases,
  shutdownCases,
  promptCases,
  contentCases,
  toolCases,
  permissionCases,
  fileCases,
  terminalCases,
  questionCases,
  planCases,
  cancelCases,
  workCases,
  historyCases,
  closeCases,
  mcpCases,
  requestCases,
  endCases,
].flat();

/** The areas whose cases of version 1 hold for version 2 as well. */
const COMMON_CASES = [framingCases, rpcCases, robustnessCases, shutdownCases].flat();

/** Every active case for agents of a version. */
export function agentCases(protocol: 1 | 2): readonly AssignedCase[] {
  const requirements = requirementsFor("agent", protocol);
  const cases = protocol === 1 ? V1_CASES : [...COMMON_CASES, ...V2_CASES];
  return cases.map((one) => ({
    ...one,
    ids: requirements.filter(({ by }) => by === one.name).map(({ id }) => id),
  }));
}
