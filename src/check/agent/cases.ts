import { initializeCases } from "./basic/initialize.ts";
import type { AgentCase } from "./case.ts";
import { turnCases } from "./turns/cases.ts";

/** Every active case for agents of a version. */
export function agentCases(protocol: 1 | 2): readonly AgentCase[] {
  return protocol === 1 ? [...initializeCases, ...turnCases] : [];
}
