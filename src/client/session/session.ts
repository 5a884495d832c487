import type {
  AvailableCommand,
  PlanEntry,
  SessionConfigOption,
  SessionModeState,
  ToolCallState,
  Usage,
} from "../../acp/index.ts";
import type { SessionEvent } from "./events.ts";
import type { PromptContent } from "../turn/prompt-content.ts";
import type { TurnState } from "../turn/turn-state.ts";
import type { PromptTurn } from "../turn/turn.ts";

/** What a prompt does while another turn runs. */
export type WhenBusy = "throw" | "wait";

export interface PromptOptions {
  /** `throw` (a BusyError) unless the client was told otherwise. */
  readonly whenBusy?: WhenBusy;
  /** Cancels the turn. */
  readonly signal?: AbortSignal;
  /** Goes out as `_meta`. */
  readonly meta?: Readonly<Record<string, unknown>>;
}

/** A conversation with an agent. Its state follows the agent's updates; nobody else changes it. */
export interface Session {
  readonly id: string;
  readonly cwd: string;
  readonly additionalDirectories: readonly string[];
  /** True once the session was closed, or the connection. */
  readonly closed: boolean;

  /** The modes the agent offers and the one it is in; undefined if it has none. */
  readonly modes: SessionModeState | undefined;
  /** Undefined if the agent has none. Where there are some, they supersede the modes. */
  readonly configOptions: readonly SessionConfigOption[] | undefined;
  readonly commands: readonly AvailableCommand[];
  readonly plan: readonly PlanEntry[];
  /** By id, each merged from all that was said of it. */
  readonly toolCalls: ReadonlyMap<string, ToolCallState>;
  readonly usage: Usage | undefined;
  readonly title: string | undefined;

  readonly turnState: TurnState;
  /** The turn that runs now. */
  readonly turn: PromptTurn | undefined;
  /** How many events were dropped because `updates()` was not read in time. */
  readonly dropped: number;

  /**
   * Sends a prompt. Throws at once, with nothing sent: SessionError (closed), BusyError,
   * CapabilityError (a block the agent does not take), InvalidArgumentError.
   */
  prompt(content: PromptContent, options?: PromptOptions): PromptTurn;

  /**
   * Cancels the running turn, and those that wait for it. Resolves when they are over, in whatever
   * way; it never rejects. Without a turn it answers open questions of the agent with `cancelled`.
   */
  cancel(): Promise<void>;

  /** Switches the mode. Rejects with CapabilityError, InvalidArgumentError, or as calls do. */
  setMode(modeId: string): Promise<void>;

  /** Sets an option. Rejects with CapabilityError, InvalidArgumentError, or as calls do. */
  setConfigOption(configId: string, value: string | boolean): Promise<void>;

  /**
   * The one ordered stream of everything, inside and outside turns. The first reader also gets what
   * came before it, up to `maxBuffered` events; later ones begin where they are made. It ends when the
   * session is closed, and throws ConnectionError when the agent dies, or UpdatesLostError when it was
   * left unread for too long while others waited. Throws SessionError if the session is closed.
   */
  updates(): AsyncIterableIterator<SessionEvent, undefined>;

  /** Ends the session: its turn is cancelled, and an agent that can is told to free it. */
  close(): Promise<void>;

  [Symbol.asyncDispose](): Promise<void>;
}
