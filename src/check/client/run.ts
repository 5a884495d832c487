import type { Requirement } from "../../conformance/index.ts";
import { toError } from "../../wire/index.ts";
import type { CheckResult, CheckStatus } from "../result.ts";
import type { AgentFrame, CheckingAgent } from "./agent.ts";
import type { Baseline, ClientCase } from "./case.ts";
import { CLIENT_CASES } from "./cases/index.ts";
import { ClientAttempt, type ClientCheckSettings, type ClientVerdict } from "./check.ts";
import { ORDINARY_V2 } from "./cases/v2.ts";
import { HELLO } from "./scenario.ts";
import { PASSIVE_IDS, PassiveJudge } from "./passive.ts";
import type { ClientCommand } from "./subject.ts";

/** A check of a client. */
export interface ClientCheckOptions {
  readonly client: ClientCommand;
  /** The requirements of clients for this version of the protocol. */
  readonly requirements: readonly Requirement[];
  /** The requirements to check; the others are left out. */
  readonly ids: ReadonlySet<string>;
  readonly protocol: 1 | 2;
  /** How many clients run at the same time. Default: 2. */
  readonly jobs?: number | undefined;
  /** The least time that a client gets for anything. Default: 10 seconds. */
  readonly floorMs?: number | undefined;
  /** How late a late answer comes. Default: 15 seconds. */
  readonly slowMs?: number | undefined;
  readonly signal: AbortSignal;
  /** Called with each result as soon as it is final. */
  readonly onResult?: ((result: CheckResult) => void) | undefined;
  /** Called with the frames of each case that failed. */
  readonly onTranscript?: ((transcript: ClientTranscript) => void) | undefined;
}

export interface ClientTranscript {
  readonly id: string;
  readonly lines: readonly AgentFrame[];
  readonly stderr: string;
}

/** The results of a check, and what is known about the client. */
export interface ClientCheckOutcome {
  readonly name: string | undefined;
  readonly version: string | undefined;
  readonly capabilities: unknown;
  readonly results: readonly CheckResult[];
  /** Why there are no results of the client's behaviour. */
  readonly problem: string | undefined;
}

/** A client may take this many times the time of an ordinary turn. */
const SCALE = 10;
const FLOOR_MS = 10_000;
const FIRST_LIMIT_MS = 60_000;
const SLOW_MS = 15_000;
const MAX_FRAMES = 6;
const MAX_LINE = 2000;

/** Checks a client. Rejects with a SpawnError if the client cannot be started, or with the signal's reason. */
export async function runClientCheck(options: ClientCheckOptions): Promise<ClientCheckOutcome> {
  const run = new ClientCheckRun(options);
  return run.run();
}

class ClientCheckRun {
  readonly #options: ClientCheckOptions;
  readonly #results = new Map<string, CheckResult>();
  readonly #passive = new PassiveJudge();
  #info: { readonly name: string | undefined; readonly version: string | undefined } = {
    name: undefined,
    version: undefined,
  };

  constructor(options: ClientCheckOptions) {
    this.#options = options;
  }

  async run(): Promise<ClientCheckOutcome> {
    const { requirements, ids, protocol } = this.#options;
    const first = await this.#measure();
    if (first.problem === undefined) {
      const wanted = (one: ClientCase): boolean =>
        (one.protocol ?? 1) === protocol && one.ids.some((id) => ids.has(id));
      await this.#runAll(CLIENT_CASES.filter(wanted), first.settings);
      for (const id of PASSIVE_IDS) this.#settle(id, [this.#passive.verdict(id)], 0);
    }
    const reason = first.problem ?? "no case judged it";
    for (const { id } of requirements) {
      if (!ids.has(id)) this.#settle(id, [{ status: "skipped", reason: "left out" }], 0);
      else this.#settle(id, [{ status: "untested", reason }], 0);
    }
    return {
      ...this.#info,
      capabilities: first.settings.baseline.capabilities,
      results: requirements.flatMap(({ id }) => this.#results.get(id) ?? []),
      problem: first.problem,
    };
  }

  /** Plays an ordinary turn, to learn how long it takes and what the client shows. */
  async #measure(): Promise<{ settings: ClientCheckSettings; problem: string | undefined }> {
    const { client, protocol, signal, floorMs = FLOOR_MS, slowMs = SLOW_MS } = this.#options;
    const unknown: Baseline = { exits: true, code: 0, showsText: false, ms: 0, capabilities: {} };
    const settings: ClientCheckSettings = {
      client,
      protocol,
      signal,
      slowMs,
      baseline: unknown,
      limitMs: Math.max(FIRST_LIMIT_MS, floorMs),
      onAgent: (agent) => this.#saw(agent),
    };
    const measured = await this.#firstTurn({ ...settings, limitMs: FIRST_LIMIT_MS });
    const limitMs = Math.max(floorMs, measured.baseline.ms * SCALE);
    return {
      settings: { ...settings, baseline: measured.baseline, limitMs },
      problem: measured.problem,
    };
  }

  async #firstTurn(
    settings: ClientCheckSettings,
  ): Promise<{ baseline: Baseline; problem: string | undefined }> {
    const attempt = new ClientAttempt({ ...settings, baseline: { ...settings.baseline, exits: false } });
    let baseline = settings.baseline;
    let problem: string | undefined = "the client did not start the agent";
    await attempt.carryOut({
      ids: [],
      run: async (check) => {
        const { agent, end, stdout, stderr, ms } = await check.play(this.#options.protocol === 1 ? {} : ORDINARY_V2);
        if (!agent) {
          problem = `the client did not start the agent: ${stderr.trim().slice(-500)}`;
          return;
        }
        const hasPrompted = agent.calls("session/prompt").length > 0;
        problem = hasPrompted ? undefined : `the client sent no prompt: ${stderr.trim().slice(-500)}`;
        baseline = {
          exits: end?.isOwn === true,
          code: end?.code ?? null,
          showsText: stdout.includes(HELLO),
          ms,
          capabilities: agent.capabilities,
        };
      },
    });
    return { baseline, problem };
  }

  #saw(agent: CheckingAgent): void {
    this.#passive.see(agent);
    const params = agent.calls("initialize")[0]?.json?.["params"];
    if (typeof params !== "object" || params === null || this.#info.name !== undefined) return;
    const info: unknown = "clientInfo" in params ? params.clientInfo : "info" in params ? params.info : undefined;
    if (typeof info !== "object" || info === null) return;
    this.#info = {
      name: "name" in info && typeof info.name === "string" ? info.name : undefined,
      version: "version" in info && typeof info.version === "string" ? info.version : undefined,
    };
  }

  async #runAll(cases: readonly ClientCase[], settings: ClientCheckSettings): Promise<void> {
    const waiting = [...cases];
    const work = async (): Promise<void> => {
      for (let one = waiting.shift(); one; one = waiting.shift()) await this.#runCase(one, settings);
    };
    await Promise.all(Array.from({ length: this.#options.jobs ?? 2 }, work));
  }

  async #runCase(one: ClientCase, settings: ClientCheckSettings): Promise<void> {
    const started = Date.now();
    const attempts: ReadonlyMap<string, ClientVerdict>[] = [];
    const attempt = async (): Promise<ClientAttempt> => {
      const made = new ClientAttempt(settings);
      await made.carryOut(one);
      attempts.push(made.verdicts);
      return made;
    };
    try {
      const first = await attempt();
      const failed = [...first.verdicts].filter(([, { status }]) => status === "failed");
      if (failed.length > 0) {
        for (const [id] of failed) {
          const lines = first.agents.flatMap(({ frames }) => frames);
          this.#options.onTranscript?.({ id, lines, stderr: first.stderr });
        }
        await attempt();
      }
    } catch (error) {
      this.#options.signal.throwIfAborted();
      for (const id of one.ids) this.#add(id, "fault", { reason: toError(error).stack ?? String(error) }, 0);
      return;
    }
    for (const id of one.ids) {
      const verdicts = attempts.flatMap((verdicts) => verdicts.get(id) ?? []);
      this.#settle(id, verdicts, Date.now() - started);
    }
  }

  /** Makes the result from the verdicts of all attempts. */
  #settle(id: string, verdicts: readonly ClientVerdict[], ms: number): void {
    const [first, second] = verdicts;
    if (!first || this.#results.has(id) || !this.#options.ids.has(id)) {
      if (first?.status === "skipped" && !this.#results.has(id)) this.#add(id, "skipped", first, ms);
      return;
    }
    if (first.status === "failed" && second && second.status !== "failed") {
      this.#add(id, "unstable", { ...first, reason: `repeated, it ${second.status}` }, ms);
    } else this.#add(id, first.status, first, ms);
  }

  #add(
    id: string,
    status: CheckStatus,
    verdict: {
      readonly expected?: string;
      readonly actual?: string;
      readonly evidence?: string;
      readonly reason?: string;
      readonly frames?: readonly AgentFrame[];
    },
    ms: number,
  ): void {
    const requirement = this.#options.requirements.find((one) => one.id === id);
    if (!requirement) return;
    const { level, area, title, source } = requirement;
    const { expected = "", actual = "", evidence = "", reason, frames = [] } = verdict;
    const result: CheckResult = {
      id,
      level,
      status,
      area,
      title,
      source,
      expected,
      actual,
      evidence,
      reason,
      frames: frames
        .slice(0, MAX_FRAMES)
        .map(({ n, direction, line }) => ({ n, direction, line: line.slice(0, MAX_LINE) })),
      ms,
    };
    this.#results.set(id, result);
    if (this.#options.ids.has(id)) this.#options.onResult?.(result);
  }
}
