import type { AgentCase } from "./case.ts";
import { cancelCases, closeCases } from "./cases/cancel.ts";
import {
  fileCases,
  permissionCases,
  questionCases,
  requestCases,
  terminalCases,
} from "./cases/client-side.ts";
import { framingCases, robustnessCases } from "./cases/framing.ts";
import { authenticationCases, initializeCases } from "./cases/initialize.ts";
import { paramsCases, rpcCases } from "./cases/json-rpc.ts";
import { mcpCases } from "./cases/mcp.ts";
import { contentCases, promptCases } from "./cases/prompt.ts";
import { historyCases, workCases } from "./cases/session-turns.ts";
import { listCases, loadCases, sessionCases } from "./cases/sessions.ts";
import { modeCases, optionCases } from "./cases/settings.ts";
import { endCases, shutdownCases } from "./cases/shutdown.ts";
import { planCases, toolCases } from "./cases/tools.ts";
import { v2Cases } from "./cases/v2.ts";
import { v2TurnCases } from "./cases/v2-turns.ts";

/** Every active case for agents of a version. */
export function agentCases(protocol: 1 | 2): readonly AgentCase[] {
  return protocol === 1 ? V1_CASES : V2_CASES;
}

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

/** The areas whose cases of version 1 hold for version 2 as well come first. */
const V2_CASES: readonly AgentCase[] = [
  framingCases,
  rpcCases,
  robustnessCases,
  shutdownCases,
  v2Cases,
  v2TurnCases,
].flat();
