import { authenticationCases } from "./basic/authentication.ts";
import { framingCases } from "./basic/framing.ts";
import { initializeCases } from "./basic/initialize.ts";
import { listCases } from "./basic/list.ts";
import { loadCases } from "./basic/load.ts";
import { modeCases } from "./basic/modes.ts";
import { optionCases } from "./basic/options.ts";
import { paramsCases } from "./basic/params.ts";
import { robustnessCases } from "./basic/robustness.ts";
import { rpcCases } from "./basic/rpc.ts";
import { sessionCases } from "./basic/sessions.ts";
import { shutdownCases } from "./basic/shutdown.ts";
import type { AgentCase } from "./case.ts";
import { turnCases } from "./turns/cases.ts";

/** Every active case for agents of a version. */
export function agentCases(protocol: 1 | 2): readonly AgentCase[] {
  return protocol === 1 ? V1_CASES : [];
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
  turnCases,
].flat();
