import type { HubAgent, HubOptions, HubRoots } from "../../hub/index.ts";
import type { Overrides } from "../../../base/index.ts";
import type { FleetEngine } from "../engine.ts";
import type { FleetHost } from "../hosts.ts";

/** The limits of a worker. */
export interface WorkerSettings {
  /** The most sessions that the worker runs at once. Default: 16. */
  readonly maxSessions: number;
  /** The most prompts that wait in one session. Default: 16. */
  readonly maxQueuedPrompts: number;
  /** How long a session may be unused before the worker gives it back, in milliseconds. Default: 10 minutes. */
  readonly idleMs: number;
  /** How long an agent's question waits before it is cancelled, in milliseconds. Default: 10 minutes. */
  readonly questionMs: number;
  /** The most entries of one session that the engine has not acknowledged. Default: 256. */
  readonly maxUnacknowledged: number;
  /** How long a piece of text waits for the next one, to be appended with it. Default: 20 ms. */
  readonly chunkMs: number;
  /** The length from which a piece of text waits no more, in characters. Default: 4096. */
  readonly chunkChars: number;
}

export const DEFAULT_WORKER_SETTINGS: WorkerSettings = {
  maxSessions: 16,
  maxQueuedPrompts: 16,
  idleMs: 10 * 60_000,
  questionMs: 10 * 60_000,
  maxUnacknowledged: 256,
  chunkMs: 20,
  chunkChars: 4096,
};

/** Something that happened in a worker. */
export type WorkerEvent =
  /** A session was opened. */
  | { readonly type: "session_opened"; readonly session: string }
  /** A session was closed, and its lease given back. */
  | { readonly type: "session_closed"; readonly session: string }
  /** The worker lost a session, and ended its agent. */
  | { readonly type: "session_lost"; readonly session: string; readonly message: string }
  /** The worker closed a turn whose worker died. */
  | {
      readonly type: "session_recovered";
      readonly session: string;
      /** How many prompts have an unknown outcome. */
      readonly unknown: number;
    }
  /** A job of the queue was started. */
  | {
      readonly type: "job_started";
      /** The tenant and the id of the job, as `TENANT:ID`. */
      readonly job: string;
    }
  /** A job of the queue has ended, or was reported, or is left to another worker. */
  | {
      readonly type: "job_ended";
      /** The tenant and the id of the job, as `TENANT:ID`. */
      readonly job: string;
    }
  /** Work of the queue, or the care for it, failed. The worker goes on. */
  | {
      readonly type: "failed";
      /** The step that failed, such as "report the load". */
      readonly what: string;
      readonly error: Error;
    };

/** Options of {@link startWorker}. */
export interface WorkerOptions {
  /** The engine of the fleet. The worker does not close it. */
  readonly engine: FleetEngine;
  /** The name of this worker, which no other process of the fleet has. */
  readonly host: string;
  /** The pool whose work it takes. */
  readonly pool: string;
  /** The agents that it can start. */
  readonly agents: readonly HubAgent[];
  /** The folders that sessions and jobs may work in. Default: none, and sessions name any folder. */
  readonly roots?: HubRoots | undefined;
  /** The volume with the history of its agents, which workers may share. Default: the host's own. */
  readonly volume?: string | undefined;
  /** The folder for the worktrees of jobs, private to this user. Default: one in the system's temp folder. */
  readonly jobsFolder?: string | undefined;
  /** The options of its hub, such as rules and limits. Without `checkOpen`, `roots` are checked. */
  readonly hub?: Omit<HubOptions, "log"> | undefined;
  /** The policy of a job, from the text of its rules. Throws if invalid. Default: jobs with rules fail. */
  readonly jobPolicy?: ((rules: string) => HubOptions["policy"]) | undefined;
  /** Changes to the limits. */
  readonly limits?: Overrides<WorkerSettings> | undefined;
  /** Called with everything that happens. It must not throw. */
  readonly onEvent?: ((event: WorkerEvent) => void) | undefined;
}

/** A running worker. */
export interface FleetWorker {
  /** The ids of the sessions that it owns. */
  readonly sessions: readonly string[];
  /** Its report about itself to the fleet. */
  readonly status: FleetHost;
  /** Takes no more work, waits for the running turns, at most this long, and closes. Never rejects. */
  drain(ms: number): Promise<void>;
  /** Ends all agents and gives all sessions back. Never rejects. */
  close(): Promise<void>;
  /** Calls `close`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}
