import type { JsonObject } from "../../../base/index.ts";
import type { VerdictBook } from "../verdicts.ts";
import type { CheckingAgent } from "./agent.ts";
import type { DriverAction } from "./driver.ts";
import type { Scenario } from "./scenario.ts";
import type { ClientEnd, ClientRun, ClientRunOptions } from "./subject.ts";
import { Unmet } from "../harness/errors.ts";

/** A client after one scenario. */
export interface Played {
  readonly run: ClientRun;
  /** The agent that got the prompt, or else the first one. Undefined if the client started none. */
  readonly agent: CheckingAgent | undefined;
  /** How the client ended; undefined if the checker had to end it although it should have ended. */
  readonly end: ClientEnd | undefined;
  readonly stdout: string;
  readonly stderr: string;
  /** How long it ran. */
  readonly ms: number;
}

/** The measurements of an ordinary turn of this client. */
export interface ClientBaseline {
  /** Whether the client ends by itself after a turn. */
  readonly exits: boolean;
  readonly code: number | null;
  /** Whether it shows the text of the answer. */
  readonly showsText: boolean;
  readonly ms: number;
  readonly capabilities: JsonObject;
  /** Its capabilities when the driver makes it allow everything. */
  readonly allowing: JsonObject;
}

/** Before the first turn was measured. */
export const UNMEASURED: ClientBaseline = {
  exits: false,
  code: null,
  showsText: false,
  ms: 0,
  capabilities: {},
  allowing: {},
};

export type ScenarioOptions = Omit<ClientRunOptions, "limitMs"> & {
  /** Further entries of the driver, which are used if it has them. */
  readonly prefer?: readonly DriverAction[] | undefined;
  /** How long the client may take. Default: scaled to an ordinary turn. */
  readonly limitMs?: number | undefined;
  /** Runs next to the scenario, from the start of the client. */
  readonly beside?: ((run: ClientRun) => Promise<void>) | undefined;
  /** Whether the client goes on until it ends by itself, because a person drives it. */
  readonly isHeld?: (() => boolean) | undefined;
};

/** The judge's view of a case: it plays scenarios and gives verdicts. */
export interface ClientCheck extends Pick<VerdictBook, "judge" | "skip" | "untested"> {
  readonly baseline: ClientBaseline;
  /** How long an answer that comes late may take, in milliseconds. */
  readonly slowMs: number;
  /** How long an ordinary wait may take, scaled to this client. */
  readonly limitMs: number;
  /** Whether the driver has an entry. */
  has(action: DriverAction): boolean;
  /** Starts the client with a scenario and waits for its end. */
  play(scenario: Scenario, options?: ScenarioOptions): Promise<Played>;
}

/** One or more requirements that are judged together. */
export interface ClientCase {
  readonly ids: readonly string[];
  /** Entries of the driver without which the case is skipped. */
  readonly needs?: readonly DriverAction[] | undefined;
  /** Default: 1. */
  readonly protocol?: 1 | 2 | undefined;
  run(check: ClientCheck): Promise<void>;
}

/** Throws {@link Unmet} if the client does not show the text of an answer. */
export function needText({ baseline }: ClientCheck): void {
  if (!baseline.showsText) throw new Unmet("the client does not show the answer's text");
}
