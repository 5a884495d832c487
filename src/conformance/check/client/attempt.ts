import { quietly, within } from "../../../base/index.ts";
import { runCase } from "../run/case.ts";
import { type CaseVerdict, type Seen, VerdictBook } from "../verdicts.ts";
import type { CheckingAgent } from "./agent.ts";
import type { ClientBaseline, ClientCase, ClientCheck, Played, ScenarioOptions } from "./case.ts";
import type { DriverAction } from "./driver.ts";
import type { Scenario } from "./scenario.ts";
import { ClientRun, type ClientCommand, type ClientEnd } from "./subject.ts";
import { reportedFrames } from "../check-report.ts";

/** The settings of a run that every case shares. */
export interface ClientCheckSettings {
  readonly client: ClientCommand;
  readonly baseline: ClientBaseline;
  readonly limitMs: number;
  readonly slowMs: number;
  /** How long a client that stays open may still print something after a turn. */
  readonly settleMs: number;
  readonly signal: AbortSignal;
  /** Gets every connection, for the passive requirements. */
  readonly onAgent: (agent: CheckingAgent) => void;
}

/** A whole run may take this many times the time of one wait. */
const RUN_LIMITS = 3;
/** A case's time limit, in waits: it may start the client often. */
export const CASE_LIMITS = 100;
/** How much of a connection and of stderr a violation shows. */
const SHOWN_FRAMES = 4;
const SHOWN_STDERR = 300;
/** How long a client may take to end after SIGTERM. */
const STOP_MS = 5000;

/** One attempt of one case. */
export class ClientAttempt extends VerdictBook implements ClientCheck {
  /** Every connection of this attempt. */
  readonly agents: CheckingAgent[] = [];
  stderr = "";
  readonly baseline: ClientBaseline;
  readonly limitMs: number;
  readonly slowMs: number;
  readonly #settings: ClientCheckSettings;
  readonly #runs: ClientRun[] = [];

  constructor(settings: ClientCheckSettings) {
    super();
    this.#settings = settings;
    this.baseline = settings.baseline;
    this.limitMs = settings.limitMs;
    this.slowMs = settings.slowMs;
  }

  has(action: DriverAction): boolean {
    return this.#settings.client.driver[action] !== undefined;
  }

  /** Without deciding frames, the last ones of the connection show where it happened. */
  protected override failure(...seen: readonly Seen[]): CaseVerdict {
    const failure = super.failure(...seen);
    const last = this.agents.at(-1)?.frames.slice(-SHOWN_FRAMES) ?? [];
    const said = tellingPart(this.stderr);
    return {
      ...failure,
      frames: failure.frames.length > 0 ? failure.frames : reportedFrames(last),
      evidence: said === "" ? "" : `the client's stderr has ${JSON.stringify(said)}`,
    };
  }

  /** Runs the case. Never rejects. Resolves with the error that ended it. */
  async carryOut(one: ClientCase): Promise<Error | undefined> {
    const missing = (one.needs ?? []).filter((action) => !this.has(action));
    if (missing.length > 0) {
      for (const id of one.ids) this.skip(id, `the driver has no entry "${missing.join('", "')}"`);
      return undefined;
    }
    return runCase({
      ids: one.ids,
      verdicts: this,
      work: () => one.run(this),
      limitMs: CASE_LIMITS * this.limitMs,
      signal: this.#settings.signal,
      faults: () => this.agents.flatMap(({ fault }) => (fault === undefined ? [] : [fault])),
      end: async () => {
        await Promise.all(this.#runs.splice(0).map((run) => run.dispose()));
      },
    });
  }

  async play(scenario: Scenario, options: ScenarioOptions = {}): Promise<Played> {
    const { signal, client } = this.#settings;
    signal.throwIfAborted();
    const { prefer = [], drive = [], limitMs = RUN_LIMITS * this.limitMs } = options;
    const run = await ClientRun.start(client, scenario, {
      ...options,
      drive: [...drive, ...prefer.filter((action) => this.has(action))],
      limitMs: this.limitMs,
    });
    this.#runs.push(run);
    const abort = (): void => run.signal("SIGKILL");
    signal.addEventListener("abort", abort, { once: true });
    try {
      const beside = quietly(async () => options.beside?.(run));
      const end = await this.#endOf(run, limitMs, options.isHeld);
      await beside;
      return this.#played(run, end);
    } finally {
      signal.removeEventListener("abort", abort);
    }
  }

  /** Waits for the end of the client, or for the end of the turn if the client stays open. */
  async #endOf(
    run: ClientRun,
    limitMs: number,
    isHeld = (): boolean => false,
  ): Promise<ClientEnd | undefined> {
    const over: Promise<unknown>[] = [run.ended];
    if (!this.baseline.exits) over.push(run.promptAnswered);
    const inTime = await within(Promise.race(over), limitMs);
    if (isHeld()) return run.ended;
    if (inTime && run.endedAt > 0) return run.ended;
    if (inTime) {
      const { settleMs } = this.#settings;
      await within(Promise.allSettled(run.agents.map((agent) => agent.barrier())), settleMs);
      await within(run.ended, settleMs);
    }
    if (run.endedAt === 0) run.stop();
    const stopped = await within(run.ended, STOP_MS);
    return inTime && stopped ? run.ended : undefined;
  }

  async #played(run: ClientRun, end: ClientEnd | undefined): Promise<Played> {
    this.agents.push(...run.agents);
    for (const agent of run.agents) this.#settings.onAgent(agent);
    this.stderr = run.stderr.slice(-20_000);
    const agent = run.agents.find((one) => one.calls("session/prompt").length > 0) ?? run.agents[0];
    const ms = (run.endedAt || Date.now()) - run.startedAt;
    return { run, agent, end, stdout: run.stdout, stderr: run.stderr, ms };
  }
}

/** The message of the last error on stderr, without its stack, or else the end of the text. */
function tellingPart(stderr: string): string {
  const text = stderr.trim();
  const message = text
    .split("\n")
    .findLast((line) => /^(?:Uncaught )?\w*(?:Error|Exception)\b/.test(line));
  return (message ?? text).slice(-SHOWN_STDERR).trim();
}
