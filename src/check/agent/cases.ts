import { initializeCases } from "./basic/initialize.ts";
import type { AgentCase } from "./case.ts";

/** Every active case for agents of version 1. */
export const AGENT_CASES: readonly AgentCase[] = [...initializeCases];
