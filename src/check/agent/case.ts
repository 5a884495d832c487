import type { AgentCheck } from "./agent-check.ts";

/**
 * One active case: a conversation with the subject that gives verdicts about the requirements it
 * names. A requirement without a verdict at the end is untested.
 */
export interface AgentCase {
  /** Unique, such as `initialize/versions`. */
  readonly name: string;
  readonly ids: readonly string[];
  /**
   * `shared`: the case only reads, and can use a process together with others. `fresh`: it needs its
   * own process, because it cancels, kills, floods, or sends garbage.
   */
  readonly process: "shared" | "fresh";
  /** `prompt`: a prompt with any answer. `model`: a turn that does a certain thing. */
  readonly needs: "none" | "prompt" | "model";
  /** Set if the case makes ordinary traffic, which passive judges need even if no id is chosen. */
  readonly isTraffic?: boolean | undefined;
  /** Set if the case needs the subject's process, which a remote subject has not. */
  readonly isAboutProcess?: boolean | undefined;
  readonly run: (check: AgentCheck) => Promise<void>;
}
