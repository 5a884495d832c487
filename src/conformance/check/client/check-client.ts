import { setMaxListeners } from "node:events";
import { requirementsFor, type Requirement } from "../../index.ts";
import { joinCommandLine, objectField, stringField } from "../../../base/index.ts";
import { Unmet } from "../harness/errors.ts";
import type { CheckRunOptions } from "../run/options.ts";
import { activeResult, LEFT_OUT, unjudged } from "../run/results.ts";
import {
  type CheckReport,
  type CheckResult,
  type CheckSummary,
  reportOf,
  reportSummary,
} from "../check-report.ts";
import { VerdictBook } from "../verdicts.ts";
import type { CheckingAgent } from "./agent.ts";
import { ClientAttempt, type ClientCheckSettings } from "./attempt.ts";
import { UNMEASURED, type ClientBaseline, type ClientCase, type Played } from "./case.ts";
import { CLIENT_CASES } from "./cases/cases.ts";
import { ORDINARY_V2 } from "./cases/v2.ts";
import { PersonalRun } from "./interactive.ts";
import { describeEnd, promptProblem } from "./play-turn.ts";
import { PASSIVE_IDS, PassiveJudge } from "./passive.ts";
import { HELLO } from "./scenario.ts";
import type { ClientCommand } from "./subject.ts";

/** A run over one client. */
export interface ClientCheckOptions extends CheckRunOptions {
  readonly client: ClientCommand & { readonly name?: string | undefined };
  /** The least time that a client gets for anything. Default: 10 seconds. */
  readonly floorMs?: number | undefined;
  /** The limit of a wait in the first turn, before the client's speed is known. Default: 60 seconds. */
  readonly firstMs?: number | undefined;
  /** How late a late answer comes. Default: 15 seconds. */
  readonly slowMs?: number | undefined;
}

/** A client may take this many times the time of an ordinary turn. */
const SCALE = 10;
const FLOOR_MS = 10_000;
const FIRST_LIMIT_MS = 60_000;
/** How long a client may take to end after its first turn before it counts as one that stays open. */
const FIRST_SETTLE_MS = 10_000;
const SETTLE_MS = 300;
const SLOW_MS = 15_000;
const DEFAULT_JOBS = 2;

/**
 * Checks one client. The report has every requirement of its version. Never rejects because of the
 * client; a run that is ended early reports everything it knows.
 */
export async function checkClient(options: ClientCheckOptions): Promise<CheckReport> {
  return new ClientCheckRun(options).run();
}

/** Why the first turn did not take place, and what the author can do about it. */
function startProblem(played: Pick<Played, "agent" | "end" | "stderr">): string {
  const { agent, end, stderr } = played;
  const ended = end?.isOwn === true ? `ended with ${describeEnd(end)}` : "did not end in time";
  const said = stderr.trim().slice(-500);
  const words = said === "" ? "" : `; last lines of stderr:\n${said}`;
  if (agent) return `${promptProblem(played)}${words}`;
  const hint = "its arguments need {agent}, or it has to run the command in DRAGOMAN_CHECK_AGENT";
  return `the client ${ended} and did not start the agent: ${hint}${words}`;
}

class ClientCheckRun {
  readonly #options: ClientCheckOptions;
  readonly #protocol: 1 | 2;
  readonly #requirements: readonly Requirement[];
  readonly #results = new Map<string, CheckResult>();
  readonly #passive = new PassiveJudge();
  readonly #stop = new AbortController();
  #name: string | undefined;
  #version: string | undefined;
  #capabilities: unknown = {};
  #personal: readonly VerdictBook[] = [];

  constructor(options: ClientCheckOptions) {
    this.#options = options;
    this.#protocol = options.protocol ?? 1;
    this.#requirements = requirementsFor("client", this.#protocol);
    // Every client that is running listens.
    setMaxListeners(0, this.#stop.signal);
  }

  async run(): Promise<CheckReport> {
    const started = performance.now();
    const { timeoutMs, signal } = this.#options;
    const stop = (): void => this.#stop.abort(new Error("the run ended early"));
    const timer = timeoutMs === undefined ? undefined : setTimeout(stop, timeoutMs);
    signal?.addEventListener("abort", stop, { once: true });
    if (signal?.aborted === true) stop();
    try {
      const problem = await this.#check();
      return this.#report(problem, performance.now() - started);
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener("abort", stop);
    }
  }

  /** Runs everything. Resolves with the reason if the client cannot be checked at all. */
  async #check(): Promise<string | undefined> {
    const { ids, jobs = DEFAULT_JOBS } = this.#options;
    for (const requirement of this.#requirements) {
      if (ids?.has(requirement.id) !== false) continue;
      this.#settle(unjudged(requirement, "skipped", LEFT_OUT));
    }
    const settings = await this.#measure();
    if (typeof settings === "string") return settings;
    if (this.#personal.length > 0) {
      this.#settlePersonal();
      return undefined;
    }
    const waiting = CLIENT_CASES.filter(
      (one) => (one.protocol ?? 1) === this.#protocol && one.ids.some((id) => this.#isOpen(id)),
    );
    const work = async (): Promise<void> => {
      for (let one = waiting.shift(); one; one = waiting.shift())
        await this.#runCase(one, settings);
    };
    await Promise.all(Array.from({ length: Math.max(1, jobs) }, work));
    return undefined;
  }

  /** Plays an ordinary turn, to learn how long it takes and what the client shows. */
  async #measure(): Promise<ClientCheckSettings | string> {
    const {
      client,
      floorMs = FLOOR_MS,
      firstMs = FIRST_LIMIT_MS,
      slowMs = SLOW_MS,
    } = this.#options;
    const settings: ClientCheckSettings = {
      client,
      signal: this.#stop.signal,
      slowMs,
      baseline: UNMEASURED,
      limitMs: firstMs,
      settleMs: FIRST_SETTLE_MS,
      onAgent: (agent) => this.#saw(agent),
    };
    let baseline: ClientBaseline | undefined;
    const ordinary: ClientCase = {
      ids: [],
      run: async (check) => {
        const scenario = this.#protocol === 1 ? {} : ORDINARY_V2;
        const person = new PersonalRun(CLIENT_CASES, floorMs, this.#stop.signal);
        const first = this.#protocol === 1 ? person.scenario : scenario;
        const played = await check.play(first, person.options);
        const { run, agent, end, stdout, ms } = played;
        this.#personal = person.books;
        if (!agent?.calls("session/prompt").length) throw new Unmet(startProblem(played));
        const { capabilities } = agent;
        const hasExited = end?.isOwn === true;
        const allowing = check.has("allow")
          ? (await check.play(scenario, { drive: ["allow"] })).agent?.capabilities
          : undefined;
        baseline = {
          exits: hasExited,
          code: end?.code ?? null,
          showsText: stdout.includes(HELLO),
          // A client that stays open was ended some time after its turn.
          ms: hasExited ? ms : run.answeredAt - run.startedAt,
          capabilities,
          allowing: allowing ?? capabilities,
        };
      },
    };
    const error = await new ClientAttempt(settings).carryOut(ordinary);
    if (error || !baseline) return error?.message ?? "";
    this.#capabilities = baseline.capabilities;
    return {
      ...settings,
      baseline,
      settleMs: SETTLE_MS,
      limitMs: Math.max(floorMs, baseline.ms * SCALE),
    };
  }

  /** The results of a client that a person drove: the cases that the prompts named. */
  #settlePersonal(): void {
    for (const requirement of this.#requirements) {
      const verdict = this.#personal
        .map((book) => book.get(requirement.id))
        .findLast((one) => one !== undefined);
      if (!this.#isOpen(requirement.id) || PASSIVE_IDS.some((id) => id === requirement.id))
        continue;
      this.#settle(
        verdict
          ? activeResult(requirement, verdict, undefined, 0)
          : unjudged(requirement, "untested", "no prompt named it"),
      );
    }
  }

  #saw(agent: CheckingAgent): void {
    this.#passive.see(agent);
    const params = objectField(agent.calls("initialize")[0]?.json ?? {}, "params") ?? {};
    const info = objectField(params, "clientInfo") ?? objectField(params, "info") ?? {};
    this.#name ??= stringField(info, "name");
    this.#version ??= stringField(info, "version");
  }

  async #runCase(one: ClientCase, settings: ClientCheckSettings): Promise<void> {
    if (this.#stop.signal.aborted) return;
    const started = performance.now();
    const first = new ClientAttempt(settings);
    await first.carryOut(one);
    const failed = one.ids.filter((id) => first.get(id)?.status === "failed");
    if (failed.length > 0) this.#transcribe(failed, first);
    const isRepeated = failed.length > 0 && this.#options.repeats !== false;
    const again = isRepeated ? new ClientAttempt(settings) : undefined;
    await again?.carryOut(one);
    if (this.#stop.signal.aborted) return;
    const ms = Math.round(performance.now() - started);
    for (const requirement of this.#requirements) {
      const { id } = requirement;
      if (!one.ids.includes(id) || !this.#isOpen(id)) continue;
      this.#settle(activeResult(requirement, first.get(id), again?.get(id), ms));
    }
  }

  #transcribe(ids: readonly string[], { agents, stderr }: ClientAttempt): void {
    for (const { frames } of agents) {
      const begin = frames[0]?.at ?? 0;
      const lines = frames.map(({ direction, line, at }) => ({ direction, line, ms: at - begin }));
      this.#options.onTranscript?.({ ids, name: ids.join(" "), lines, stderr });
    }
  }

  #isOpen(id: string): boolean {
    return !this.#results.has(id);
  }

  #settle(result: CheckResult): void {
    this.#results.set(result.id, result);
    this.#options.onResult?.(result);
  }

  #report(problem: string | undefined, ms: number): CheckReport {
    const isEarly = this.#stop.signal.aborted;
    for (const requirement of this.#requirements) {
      if (!this.#isOpen(requirement.id)) continue;
      const passive = PASSIVE_IDS.find((id) => id === requirement.id);
      if (passive && problem === undefined) {
        const book = new VerdictBook();
        this.#passive.judge(passive, book);
        this.#settle(activeResult(requirement, book.get(passive), undefined, 0));
      } else {
        const reason = problem ?? (isEarly ? "the run ended early" : "no case judges it");
        const result = unjudged(requirement, "untested", reason);
        // Nothing was checked, and each of them would only repeat the problem of the run.
        if (problem === undefined) this.#settle(result);
        else this.#results.set(result.id, result);
      }
    }
    const { client } = this.#options;
    const results = this.#requirements.flatMap(({ id }) => this.#results.get(id) ?? []);
    const command = joinCommandLine([client.command, ...client.args]);
    const summary: CheckSummary = {
      ...reportSummary(
        results,
        ms,
        isEarly ? "run limit" : problem === undefined ? undefined : "cannot start",
      ),
      ...(problem === undefined && !isEarly
        ? {}
        : { problem: problem ?? "the limit of the run was reached" }),
    };
    const subject = {
      side: "client",
      name: client.name ?? this.#name ?? client.command,
      version: this.#version,
      command,
      protocol: this.#protocol,
      capabilities: this.#capabilities,
    } as const;
    return reportOf(subject, summary, results);
  }
}
