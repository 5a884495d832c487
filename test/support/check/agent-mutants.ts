import type { AgentMutant } from "./agent-rigs.ts";
import { basicMutants } from "./basic-mutants.ts";
import { modelMutants } from "./model-mutants.ts";
import { v2Mutants } from "./v2-mutants.ts";

/** Every agent with one defect. */
export const agentMutants: readonly AgentMutant[] = [
  ...basicMutants,
  ...modelMutants,
  ...v2Mutants,
];
