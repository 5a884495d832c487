import type { AgentCheckOptions } from "../../../src/conformance/check/run/options.ts";
import type { AgentSubject } from "../../../src/conformance/check/subject/subject.ts";
import {
  basicInProcess,
  basicProgram,
  modelInProcess,
  modelProgram,
  v2InProcess,
} from "./in-process.ts";

/** A correct agent of this folder, and the options of a run over it. */
export interface AgentRig extends Pick<AgentCheckOptions, "prompts" | "authMethod" | "optIn"> {
  readonly protocol: 1 | 2;
  /** The agent; with the name of a defect, the agent that has it. */
  readonly start: (defect?: string) => AgentSubject;
}

const SIGN_IN = { authMethod: "login", optIn: new Set(["logout"]) };
const V2 = { protocol: 2, prompts: { slow: "slow", ask: "ask" } } as const;

/** Adds the switches of a variant of an agent. */
function variant(
  start: (...switches: readonly string[]) => AgentSubject,
  ...own: readonly string[]
): AgentRig["start"] {
  return (defect) => start(...own, ...(defect === undefined ? [] : [defect]));
}

/** The correct agents, by name. */
export const agentRigs = {
  basic: { protocol: 1, start: variant(basicInProcess) },
  "basic with a sign-in": {
    protocol: 1,
    start: variant(basicInProcess, "with-login"),
    ...SIGN_IN,
  },
  "basic program": { protocol: 1, start: variant(basicProgram) },
  model: { protocol: 1, start: (defect) => modelInProcess({ defect }) },
  "model program": { protocol: 1, start: modelProgram },
  "version 2": { ...V2, start: variant(v2InProcess) },
  "version 2 with a sign-in": { ...V2, start: variant(v2InProcess, "with-login"), ...SIGN_IN },
  "version 2 program": { ...V2, start: variant(basicProgram, "version-2") },
} satisfies Readonly<Record<string, AgentRig>>;

export type AgentRigName = keyof typeof agentRigs;

/** An agent with one defect. */
export interface AgentMutant {
  readonly rig: AgentRigName;
  readonly defect: string;
  /** Every requirement that the defect breaks. */
  readonly ids: readonly string[];
}

/** The options of a run over an agent, without or with a defect. */
export function runOf(name: AgentRigName, defect?: string): AgentCheckOptions {
  const { start, ...options }: AgentRig = agentRigs[name];
  return { ...options, subject: start(defect) };
}

/** Makes the rows of the mutants of one agent. */
export function mutantsOf(
  rig: AgentRigName,
): (defect: string, ...ids: readonly string[]) => AgentMutant {
  return (defect, ...ids) => ({ rig, defect, ids });
}
