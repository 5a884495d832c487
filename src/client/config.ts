import type { CrowOptions, DialectName, Implementation } from "../acp/index.ts";
import type { Channel, CommandLine, EndStages, Tap } from "../wire/index.ts";
import { InvalidArgumentError } from "./errors.ts";
import type { RunLogin } from "./auth.ts";
import type { GateOptions } from "./gate/options.ts";
import type { WhenBusy } from "./session/session.ts";
import { DEFAULT_TIMEOUTS, type Timeouts } from "./connection/timeouts.ts";
import type { BufferLimits } from "./turn/update-stream.ts";

/** An agent that is a command. `env` is laid over this process's environment. */
export interface CommandTarget extends CommandLine {
  readonly channel?: never;
  /** How long each stage of ending the process may take. */
  readonly stages?: Partial<EndStages>;
  /** Sees what the agent writes to stderr, as it comes. */
  readonly onStderr?: (text: string) => void;
}

/** An agent that is reached in another way, by a channel nobody has opened yet. */
export interface ChannelTarget {
  readonly channel: Channel;
  readonly command?: never;
}

/** How to talk to an agent, whatever it is. */
export interface ConnectionConfig extends GateOptions {
  /** Who the agent is told it talks to. */
  readonly clientInfo?: Implementation;
  readonly timeouts?: Timeouts;
  /**
   * How many updates may wait for one reader: 512, of 8 MiB together, unless told. A number sets
   * the count alone.
   */
  readonly maxBuffered?: number | Partial<BufferLimits>;
  /** What a prompt does while another turn of its session runs: `throw` unless told. */
  readonly whenBusy?: WhenBusy;
  /** Sees every line both ways, secrets included: use `recorder` where they are written down. */
  readonly tap?: Tap;
  /** How the agent spells the protocol; found out by itself (`auto`) unless told. */
  readonly dialect?: DialectName | "auto";
  readonly crow?: CrowOptions;
  /**
   * Tells agents that their logins in a terminal can be run, and how: `true` for this process's own
   * terminal. `client.terminalLogin` works in any case.
   */
  readonly terminalLogin?: boolean | RunLogin;
}

export type AcpClientConfig = ConnectionConfig & (CommandTarget | ChannelTarget);

export const DEFAULT_LIMITS: BufferLimits = { updates: 512, bytes: 8 * 1024 * 1024 };

/** The limits for readers. Throws InvalidArgumentError for a limit below one. */
export function toLimits(given: ConnectionConfig["maxBuffered"]): BufferLimits {
  const limits = { ...DEFAULT_LIMITS, ...(typeof given === "number" ? { updates: given } : given) };
  if (!(limits.updates >= 1 && limits.bytes >= 1)) {
    throw new InvalidArgumentError("maxBuffered must be at least 1");
  }
  return limits;
}

/** The timeouts with the defaults filled in. Throws InvalidArgumentError for one that is no time. */
export function toTimeouts(given: Timeouts = {}): Required<Timeouts> {
  const all = { ...DEFAULT_TIMEOUTS };
  for (const key of TIMEOUT_KEYS) {
    const ms = given[key];
    if (ms === undefined) continue;
    if (!(ms >= 0)) throw new InvalidArgumentError(`timeouts.${key} must not be negative`);
    all[key] = ms;
  }
  return all;
}

const TIMEOUT_KEYS = ["start", "request", "turnIdle", "turn", "cancelGrace"] as const;
