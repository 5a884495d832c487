import type { AgentCheck } from "./agent-check.ts";

/**
 * One active case: a conversation with the subject that gives verdicts about the requirements it
 * names. A requirement without a verdict at the end is untested.
 */
export interface AgentCase {
  /** Unique, such as `initialize/versions`. */
  readonly name: string;
  readonly ids: readonly string[];
  /** Set if the case only reads, so that it can use one process together with others. */
  readonly isShared?: boolean | undefined;
  /** Set if the case makes ordinary traffic, which passive judges need even if no id is chosen. */
  readonly isTraffic?: boolean | undefined;
  /** Set if the case needs the subject's process, which a remote subject has not. */
  readonly isAboutProcess?: boolean | undefined;
  readonly run: (check: AgentCheck) => Promise<void>;
}
