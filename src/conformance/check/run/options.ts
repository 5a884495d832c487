import type { CheckResult, EvidenceFrame } from "../check-report.ts";
import type { AgentSubject } from "../subject/subject.ts";

/** The frames of one connection of a case that failed. */
export interface CaseTranscript {
  /** The requirements that failed. */
  readonly ids: readonly string[];
  /** The name of the case. */
  readonly name: string;
  /** Every line, with the time since the first one. */
  readonly lines: readonly (Pick<EvidenceFrame, "direction" | "line"> & { readonly ms: number })[];
  /** The end of the subject's stderr output. */
  readonly stderr: string;
}

/** The options that the check of an agent and that of a client have in common. */
export interface CheckRunOptions {
  /** Default: 1. */
  readonly protocol?: 1 | 2 | undefined;
  /** The ids to judge; the others are skipped. Default: all. */
  readonly ids?: ReadonlySet<string> | undefined;
  /** How many cases may run at the same time. Default: 2. */
  readonly jobs?: number | undefined;
  /** Whether a failure is repeated before it is reported. Default: true. */
  readonly repeats?: boolean | undefined;
  /** The limit of the run. Default: none. */
  readonly timeoutMs?: number | undefined;
  /** Ends the run early; everything that was started is ended first. */
  readonly signal?: AbortSignal | undefined;
  /** Gets each result as soon as it is final, unless the subject did not start. */
  readonly onResult?: ((result: CheckResult) => void) | undefined;
  /** Gets the connections of cases that failed or are unstable. */
  readonly onTranscript?: ((transcript: CaseTranscript) => void) | undefined;
}

export interface AgentCheckOptions extends CheckRunOptions {
  readonly subject: AgentSubject;
  /** `none` leaves out every case that needs a scripted turn. Default: `scripted`. */
  readonly model?: "scripted" | "none" | undefined;
  /** The contents of a file of prompts, parsed. */
  readonly prompts?: unknown;
  /** The id of the method to sign in with. */
  readonly authMethod?: string | undefined;
  /** Allows cases that change something outside the run, such as `logout`. */
  readonly optIn?: ReadonlySet<string> | undefined;
  /** Scales every limit that is scaled to the speed of the subject. Default: 1. */
  readonly patience?: number | undefined;
}
