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
import { cancel2Cases } from "./v2/cancel.ts";
import { initialize2Cases } from "./v2/initialize.ts";
import { message2Cases } from "./v2/messages.ts";
import { prompt2Cases } from "./v2/prompt.ts";
import { session2Cases } from "./v2/sessions.ts";
import { settings2Cases } from "./v2/settings.ts";

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
  turnCases,
].flat();

/** The areas whose cases of version 1 hold for version 2 as well. */
const COMMON_CASES = [framingCases, rpcCases, robustnessCases, shutdownCases];

const V2_CASES: readonly AgentCase[] = [
  ...COMMON_CASES,
  initialize2Cases,
  prompt2Cases,
  session2Cases,
  settings2Cases,
  message2Cases,
  cancel2Cases,
].flat();
