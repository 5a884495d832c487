import type { BufferLimits } from "../turn/update-stream.ts";
import type { Logger } from "../../wire/index.ts";
import type { TimeoutKind } from "../errors.ts";
import type { Flow } from "../connection/flow.ts";
import type { Session, WhenBusy } from "./session.ts";
import type { Timeouts } from "../connection/timeouts.ts";

/** How long a call may take. */
export interface CallLimit {
  readonly kind: TimeoutKind;
  /** What the error names. */
  readonly ms: number;
  /** What is left of it; all unless told. */
  readonly left?: number;
}

export interface HostCallOptions {
  readonly signal?: AbortSignal | undefined;
  /** `timeouts.request` unless told; `none` for what may wait for a person. */
  readonly limit?: CallLimit | "none";
}

/** What a session needs of the connection it lives on. */
export interface SessionHost {
  readonly flow: Flow;
  readonly timeouts: Required<Timeouts>;
  readonly limits: BufferLimits;
  readonly whenBusy: WhenBusy;
  readonly logger: Logger | undefined;
  /** The agent's capabilities as sent. */
  readonly capabilities: unknown;
  /**
   * Calls the agent. `accept` reads the result in wire order. Rejects with AuthRequiredError,
   * TimeoutError, RemoteError, ConnectionError, ProtocolViolation or CallCancelledError.
   */
  call<T>(
    method: string,
    params: unknown,
    accept: (result: unknown) => T,
    options?: HostCallOptions,
  ): Promise<T>;
  /**
   * Sends a prompt. It waits as long as the turn takes, and does not count as a call that waits. One
   * of the two is called, in wire order; `refused` also with what `accept` throws.
   */
  prompt(
    params: unknown,
    accept: (result: unknown) => void,
    refused: (error: unknown) => void,
  ): void;
  notify(method: string, params: unknown): void;
  /** A person is being asked, or not any more: no limit of a call runs meanwhile. */
  asking(begins: boolean): void;
  /** Forgets the session and ends what it has open on this side. */
  forget(session: Session): Promise<void>;
  /** The agent did not end a cancelled turn. True if the whole connection is given up for it. */
  giveUp(session: Session): boolean;
}
