import type { SubjectLink } from "../harness/link.ts";
import type { AgentCheck } from "./agent-check.ts";
import { Stage } from "./stage/stage.ts";

/**
 * One active case: a conversation with the subject that gives verdicts about the requirements that name
 * it. A requirement without a verdict at the end is untested.
 */
export interface AgentCase {
  /** Unique, such as `initialize/versions`. */
  readonly name: string;
  /** Set if the case only reads, so that it can use one process together with others. */
  readonly isShared?: boolean | undefined;
  /** Set if the case makes ordinary traffic, which passive judges need even if no id is chosen. */
  readonly isTraffic?: boolean | undefined;
  /** Set if the case needs the subject's process, which a remote subject has not. */
  readonly isAboutProcess?: boolean | undefined;
  readonly run: (check: AgentCheck) => Promise<void>;
}

/** A case with the ids of its requirements. */
export interface AssignedCase extends AgentCase {
  readonly ids: readonly string[];
}

/** A case that starts the subject itself. */
export function agentCase(name: string, run: AgentCase["run"]): AgentCase {
  return { name, run };
}

type LinkRun = (check: AgentCheck, link: SubjectLink) => Promise<void>;
type StageRun = (check: AgentCheck, stage: Stage) => Promise<void>;

/** A case on an initialized connection to a process of its own. */
export function linkCase(name: string, run: LinkRun): AgentCase {
  return { name, run: async (check) => run(check, (await check.open({})).link) };
}

/** A case that only reads, on the connection that such cases share. */
export function sharedCase(name: string, run: LinkRun): AgentCase {
  return { name, isShared: true, run: async (check) => run(check, (await check.open()).link) };
}

/** A case whose client offers files, terminals and forms. */
export function stageCase(name: string, run: StageRun): AgentCase {
  return { name, run: async (check) => run(check, await Stage.open(check)) };
}

/** A case whose client offers nothing. */
export function bareStageCase(name: string, run: StageRun): AgentCase {
  const capabilities = {};
  return { name, run: async (check) => run(check, await Stage.open(check, { capabilities })) };
}

export function traffic(one: AgentCase): AgentCase {
  return { ...one, isTraffic: true };
}

export function aboutProcess(...cases: readonly AgentCase[]): readonly AgentCase[] {
  return cases.map((one) => ({ ...one, isAboutProcess: true }));
}
