import type { AvailableCommand, SessionMode, Update } from "../../acp/index.ts";
import { EXIT, type CliError, type ExitCode, type FailureDetails } from "../exit.ts";
import type { DiffText } from "./text/diff.ts";

/** An agent that has answered `initialize`. */
export interface AgentFacts {
  /** The name it was chosen by. */
  readonly name: string;
  readonly command: string;
  /** What it calls itself. */
  readonly title: string | undefined;
  readonly version: string | undefined;
  readonly protocolVersion: number;
}

export interface SessionFacts {
  readonly sessionId: string;
  readonly cwd: string;
  /** Whether it is a new session, or how an old one came back. */
  readonly origin: "new" | "load" | "resume";
}

/** One decision about a request of the agent's. */
export interface PermissionFacts {
  readonly toolCallId: string | undefined;
  /** What it was about, in words of this side's own. */
  readonly what: string;
  readonly kind: string;
  readonly outcome: "allowed" | "denied" | "cancelled";
  /** The agent's option that was chosen. */
  readonly optionId: string | undefined;
  readonly by: "flag" | "rule" | "default" | "user" | "agent";
  /** The flag that would have allowed it, or why none would. */
  readonly hint: string | undefined;
}

/** Capabilities as the agent sent them, for `--list-caps`. */
export interface CapsFacts {
  readonly agent: AgentFacts;
  readonly capabilities: unknown;
  readonly authMethods: readonly { readonly id: string; readonly name: string }[];
}

export interface ModesFacts {
  readonly agent: AgentFacts;
  readonly current: string | undefined;
  readonly modes: readonly SessionMode[];
}

export interface CommandsFacts {
  readonly agent: AgentFacts;
  readonly commands: readonly AvailableCommand[];
  /** False when the agent sent no list in time. */
  readonly received: boolean;
}

export interface UsageFacts {
  readonly used: number;
  readonly size: number;
  readonly cost?: { readonly amount: number; readonly currency: string } | undefined;
}

/** How it all ended. */
export interface ResultFacts {
  readonly exitCode: ExitCode;
  readonly text: string;
  readonly stopReason: string | undefined;
  readonly usage: UsageFacts | undefined;
  readonly sessionId: string | undefined;
  readonly denied: readonly PermissionFacts[];
  readonly durationMs: number;
  readonly error: (FailureDetails & { readonly kind: string }) | undefined;
}

/**
 * Shows what happens, in one of the formats. Methods return when what they show was handed to the
 * screen; whoever calls them keeps the order by awaiting.
 */
export interface Renderer {
  agent(facts: AgentFacts): void;
  session(facts: SessionFacts): void;
  caps(facts: CapsFacts): void;
  modes(facts: ModesFacts): void;
  commands(facts: CommandsFacts): void;
  /** One update, within a turn. */
  update(update: Update): Promise<void>;
  permission(facts: PermissionFacts): void;
  /** Whether the person has this diff before their eyes already. */
  hasShown?(diff: DiffText): boolean;
  /** Something to tell the person, in words of this side's own. */
  note(text: string): void;
  result(facts: ResultFacts): void;
}

/** The result of what is no turn. */
export function plainResult(durationMs: number, failure: CliError | undefined): ResultFacts {
  return {
    exitCode: failure?.code ?? EXIT.done,
    text: "",
    stopReason: undefined,
    usage: undefined,
    sessionId: undefined,
    denied: [],
    durationMs,
    error: failure === undefined ? undefined : { kind: failure.exit, ...failure.details },
  };
}

/** Whether a hint is something to try. */
export function isFlag(hint: string): boolean {
  return hint.startsWith("--");
}

/** The line that tells of a refusal, and what would have allowed it. */
export function refusalLine({ what, hint }: PermissionFacts): string {
  if (hint === undefined) return `refused: ${what}`;
  return `refused: ${what} (${hint}${isFlag(hint) ? " would allow it" : ""})`;
}
