import type {
  AgentTerminalChange,
  AgentTerminalChunk,
  ToolCallState,
  AnyUpdate,
} from "../../../protocol/acp/index.ts";
import type { ExitCode, FailureDetails } from "../shell/exit.ts";
import type { DiffText } from "./text/diff-colors.ts";

/** An agent that has answered `initialize`. */
export interface AgentFacts {
  /** The name that the user chose it by. */
  readonly name: string;
  readonly command: string;
  /** Its own name for itself. */
  readonly title: string | undefined;
  readonly version: string | undefined;
  readonly protocolVersion: number;
}

export interface SessionFacts {
  readonly sessionId: string;
  readonly cwd: string;
  /** Whether the session is new or how it was reopened. */
  readonly origin: "new" | "load" | "resume";
}

/** One decision about a request from the agent. */
export interface PermissionFacts {
  readonly toolCallId: string | undefined;
  /** The subject of the request, in Dragoman's own words. */
  readonly what: string;
  /** The question and more about it, in the agent's words; agents of v1 send neither. */
  readonly question?: string;
  readonly description?: string;
  readonly kind: string;
  readonly outcome: "allowed" | "denied" | "cancelled";
  readonly optionId: string | undefined;
  readonly by: "flag" | "rule" | "default" | "user" | "agent";
  /** The flag that would have allowed it, or the reason why none would. */
  readonly hint: string | undefined;
}

/** A list that the user asked for, such as that of `--list-modes`. */
export interface Listing {
  readonly type: string;
  readonly fields: object;
  /** The same for people. Any of it may come from the agent. */
  readonly text: string;
}

export interface TurnTokens {
  readonly total: number;
  readonly input?: number | undefined;
  readonly output?: number | undefined;
  readonly thought?: number | undefined;
  readonly cachedRead?: number | undefined;
  readonly cachedWrite?: number | undefined;
}

/** The usage that an agent reports. Fields that it does not report are missing. */
export interface UsageFacts {
  /** The tokens in the context. */
  readonly used?: number | undefined;
  /** The size of the context, in tokens. */
  readonly size?: number | undefined;
  readonly cost?: { readonly amount: number; readonly currency: string } | undefined;
  readonly tokens?: TurnTokens | undefined;
}

export interface ResultFacts {
  readonly exitCode: ExitCode;
  readonly text: string;
  /** True if `text` is only the beginning of the answer. */
  readonly truncated?: true | undefined;
  /** The answer as JSON, if it matches the schema of `--schema`. */
  readonly answer?: unknown;
  /** The outcome of each agent, for `compare`. */
  readonly compared?: readonly object[] | undefined;
  readonly stopReason: string | undefined;
  readonly usage: UsageFacts | undefined;
  readonly sessionId: string | undefined;
  readonly denied: readonly PermissionFacts[];
  readonly durationMs: number;
  readonly error: (FailureDetails & { readonly kind: string }) | undefined;
}

/**
 * Shows what happens, in one of the output formats. A method returns once its output has been handed
 * to the screen; callers await it to keep the order.
 */
export interface Renderer {
  agent(facts: AgentFacts): void;
  session(facts: SessionFacts): void;
  list(listing: Listing): void;
  update(update: AnyUpdate): Promise<void>;
  permission(facts: PermissionFacts): void;
  /** A tool call that the agent asks permission for, in a text: the request may say more than its updates. */
  toolCall?(call: ToolCallState): Promise<void>;
  /** News of a terminal that this side runs for the agent. */
  clientTerminal?(update: AgentTerminalChange | AgentTerminalChunk): void;
  /** Whether this diff is already on the user's terminal. */
  hasShown?(diff: DiffText): boolean;
  note(text: string): void;
  result(facts: ResultFacts): void;
}
