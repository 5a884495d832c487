import { setMaxListeners } from "node:events";
import { type Requirement, requirementsFor } from "../../index.ts";
import { isJsonObject, toError } from "../../../base/index.ts";
import { isUnauthorized } from "../../../transport/wire/index.ts";
import { hasCapability, type RunContext, type SubjectFacts } from "../agent/agent-check.ts";
import type { AssignedCase } from "../agent/case.ts";
import { agentCases } from "../agent/cases.ts";
import { RunEnded } from "../harness/errors.ts";
import { Pace } from "../harness/pace.ts";
import {
  type CheckReport,
  type CheckResult,
  type CheckSummary,
  reportOf,
  reportSummary,
} from "../check-report.ts";
import { type Attempt, attemptCase, SharedProcess } from "./attempt.ts";
import type { AgentCheckOptions, CaseTranscript } from "./options.ts";
import { activeResult, LEFT_OUT, passiveResult, PassiveTotals, unjudged } from "./results.ts";
import { probe, type Probe } from "./probe.ts";

const DEFAULT_JOBS = 2;
const NOT_ANSWERED: Probe = {
  kind: "dead",
  problem: "the agent had not yet answered initialize and session/new",
};
const NO_FACTS: SubjectFacts = { initialized: {}, session: undefined };

/**
 * Checks one agent. The report has every requirement of its version. Never rejects because of the
 * subject; a run that is ended early reports everything it knows.
 */
export async function checkAgent(options: AgentCheckOptions): Promise<CheckReport> {
  return new AgentRun(options).run();
}

class AgentRun {
  readonly #options: AgentCheckOptions;
  readonly #protocol: 1 | 2;
  readonly #requirements: readonly Requirement[];
  readonly #results = new Map<string, CheckResult>();
  readonly #totals = new PassiveTotals();
  readonly #stop = new AbortController();
  readonly #context: RunContext;
  #facts = NO_FACTS;
  #signIn: string | undefined;
  #isBlocked = false;
  #stderrBytes = 0;

  constructor(options: AgentCheckOptions) {
    this.#options = options;
    this.#protocol = options.protocol ?? 1;
    this.#requirements = requirementsFor("agent", this.#protocol);
    // Every open connection listens.
    setMaxListeners(0, this.#stop.signal);
    const usesModel = options.model !== "none" && options.subject.hasModel;
    this.#context = {
      subject: options.subject,
      pace: new Pace({ patience: options.patience, hasModel: usesModel }),
      protocol: this.#protocol,
      usesModel,
      prompts: options.model === "none" ? undefined : options.prompts,
      authMethod: options.authMethod,
      optIn: options.optIn ?? new Set(),
      signal: this.#stop.signal,
      facts: () => this.#facts,
      signIn: () => this.#signIn,
    };
  }

  async run(): Promise<CheckReport> {
    const started = performance.now();
    const { timeoutMs, signal } = this.#options;
    const stop = (): void => this.#stop.abort(new RunEnded("the run ended early"));
    const timer = timeoutMs === undefined ? undefined : setTimeout(stop, timeoutMs);
    signal?.addEventListener("abort", stop, { once: true });
    if (signal?.aborted === true) stop();
    this.#leaveOut();
    try {
      const found = await this.#look();
      if (found.kind === "alive") await this.#check(found);
      return this.#report(found, performance.now() - started);
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener("abort", stop);
    }
  }

  /** Settles the requirements that were not chosen, whether or not the subject starts. */
  #leaveOut(): void {
    for (const requirement of this.#requirements) {
      if (this.#options.ids?.has(requirement.id) === false)
        this.#settle(unjudged(requirement, "skipped", LEFT_OUT));
    }
  }

  async #look(): Promise<Probe> {
    try {
      const found = await probe(this.#context);
      // The run ended the agent itself, so the way it ended is not a finding.
      return found.kind === "dead" && this.#stop.signal.aborted ? NOT_ANSWERED : found;
    } catch (error) {
      if (this.#stop.signal.aborted) return NOT_ANSWERED;
      const { message } = toError(error);
      if (isUnauthorized(error)) return { kind: "refused", problem: message };
      return { kind: "dead", problem: message };
    }
  }

  async #check(found: Extract<Probe, { kind: "alive" }>): Promise<void> {
    this.#facts = found.facts;
    this.#signIn = found.signIn;
    this.#isBlocked = found.blocked !== undefined;
    for (const requirement of this.#requirements.filter(({ id }) => this.#isOpen(id))) {
      const reason = reasonToSkip(requirement, this.#options, this.#facts, this.#context);
      if (reason !== undefined) this.#settle(unjudged(requirement, "skipped", reason));
    }
    if (!this.#options.subject.isLocal) this.#skipProcesses();
    const cases = this.#chosenCases();
    const shared = cases.filter((one) => one.isShared);
    const work = cases.filter((one) => !one.isShared).map((one) => () => this.#runCase(one));
    if (shared.length > 0) work.unshift(() => this.#runShared(shared));
    await inParallel(work, this.#options.jobs ?? DEFAULT_JOBS);
  }

  #skipProcesses(): void {
    const cases = agentCases(this.#protocol).filter((one) => one.isAboutProcess === true);
    const ids = new Set(cases.flatMap((one) => one.ids));
    for (const requirement of this.#requirements) {
      if (!ids.has(requirement.id) || this.#results.has(requirement.id)) continue;
      this.#settle(unjudged(requirement, "skipped", "this run did not start the agent"));
    }
  }

  /** The cases with an id that is still open, and those that passive judges need. */
  #chosenCases(): readonly AssignedCase[] {
    const open = this.#requirements.filter(({ id }) => !this.#results.has(id));
    const ids = new Set(open.map(({ id }) => id));
    const isPassive = open.some(({ provoked }) => provoked === "passive");
    return agentCases(this.#protocol).filter(
      (one) => one.ids.some((id) => ids.has(id)) || (isPassive && one.isTraffic === true),
    );
  }

  async #runShared(cases: readonly AssignedCase[]): Promise<void> {
    const shared = new SharedProcess(this.#context);
    try {
      for (const one of cases) await this.#runCase(one, shared);
    } finally {
      await shared.end();
    }
  }

  async #runCase(one: AssignedCase, shared?: SharedProcess): Promise<void> {
    if (this.#stop.signal.aborted) return;
    const first = await attemptCase(one, this.#context, shared);
    this.#isBlocked ||= first.isBlocked;
    this.#stderrBytes += bytesOf(first);
    const passiveIds = this.#totals.add(first.passive).filter((id) => this.#isOpen(id));
    const failed = one.ids.filter((id) => first.verdicts.get(id)?.status === "failed");
    const isBroken = failed.some((id) => this.#isOpen(id)) || passiveIds.length > 0;
    const isRepeated = isBroken && this.#options.repeats !== false;
    const again =
      isRepeated && !this.#stop.signal.aborted ? await attemptCase(one, this.#context) : undefined;
    if (again) this.#totals.repeated(again.passive);
    else if (this.#options.repeats === false) this.#totals.repeated(first.passive);
    for (const requirement of this.#requirements) {
      const { id } = requirement;
      if (!one.ids.includes(id) || !this.#isOpen(id)) continue;
      const verdict = first.verdicts.get(id);
      this.#settle(activeResult(requirement, verdict, again?.verdicts.get(id), first.ms));
    }
    if (isBroken) this.#transcribe(one, first, [...failed, ...passiveIds]);
  }

  #transcribe(one: AssignedCase, attempt: Attempt, ids: readonly string[]): void {
    const { onTranscript } = this.#options;
    if (onTranscript) transcriptsOf(one.name, attempt, ids).forEach(onTranscript);
  }

  #isOpen(id: string): boolean {
    return !this.#results.has(id) && this.#requirements.some((one) => one.id === id);
  }

  #settle(result: CheckResult): void {
    this.#results.set(result.id, result);
    this.#options.onResult?.(result);
  }

  #report(found: Probe, ms: number): CheckReport {
    for (const requirement of this.#requirements) {
      if (this.#results.has(requirement.id)) continue;
      const result = this.#lateResult(requirement, found);
      // Nothing was checked, and each of them would only repeat the problem of the run.
      if (found.kind !== "alive") this.#results.set(result.id, result);
      else this.#settle(result);
    }
    const results = this.#requirements.flatMap(({ id }) => this.#results.get(id) ?? []);
    const { subject } = this.#options;
    const isAlive = found.kind === "alive";
    return reportOf(
      {
        side: "agent",
        name: (isAlive ? found.name : undefined) ?? subject.name,
        version: isAlive ? found.version : undefined,
        command: subject.command,
        protocol: this.#protocol,
        capabilities: this.#facts.initialized,
      },
      { ...reportSummary(results, ms, this.#ended(found)), ...this.#problem(found) },
      results,
    );
  }

  #lateResult(requirement: Requirement, found: Probe): CheckResult {
    if (found.kind !== "alive") return unjudged(requirement, "untested", found.problem);
    if (requirement.id === "ACP-STDERR-001") {
      const evidence = `${this.#stderrBytes} bytes on stderr`;
      return {
        ...unjudged(requirement, "untested", ""),
        status: "passed",
        evidence,
        reason: undefined,
      };
    }
    if (requirement.provoked === "passive") return passiveResult(requirement, this.#totals);
    const reason = this.#stop.signal.aborted ? "the run ended early" : "no case judges it";
    return unjudged(requirement, "untested", reason);
  }

  #ended(found: Probe): CheckSummary["ended"] {
    if (found.kind === "refused") return "authentication";
    if (found.kind === "dead") return this.#stop.signal.aborted ? "run limit" : "cannot start";
    if (this.#stop.signal.aborted) return "run limit";
    return this.#isBlocked ? "authentication" : undefined;
  }

  #problem(found: Probe): Pick<CheckSummary, "problem"> {
    if (found.kind !== "alive") return { problem: found.problem };
    if (this.#stop.signal.aborted) return { problem: "the limit of the run was reached" };
    if (found.blocked !== undefined)
      return { problem: `the agent asks for a sign-in: ${found.blocked}` };
    return {};
  }
}

function bytesOf({ links }: Attempt): number {
  return links.reduce((sum, { link }) => sum + link.transport.stderrBytes(), 0);
}

/** Runs work with at most `jobs` at the same time, in order. */
async function inParallel(work: readonly (() => Promise<void>)[], jobs: number): Promise<void> {
  const queue = [...work];
  const worker = async (): Promise<void> => {
    for (let next = queue.shift(); next; next = queue.shift()) await next();
  };
  await Promise.all(Array.from({ length: Math.max(1, jobs) }, worker));
}

/** Why a requirement is left out of a run; undefined if it is not. */
function reasonToSkip(
  { requires, optIn, provoked }: Requirement,
  options: AgentCheckOptions,
  facts: SubjectFacts,
  context: RunContext,
): string | undefined {
  if (optIn !== undefined && !context.optIn.has(optIn)) return `needs ${optIn}`;
  if (requires !== undefined && !isAdvertised(requires, facts, context.protocol)) {
    return `the agent does not advertise ${requires}`;
  }
  if (provoked === "model" && !context.usesModel && context.prompts === undefined) {
    return options.model === "none"
      ? "needs a scripted turn, and the run has --model none"
      : "needs a scripted turn: use a name of the catalogue, --model-env or --prompts";
  }
  return undefined;
}

/** Parts of the result of `session/new` that are advertised there and not in `initialize`. */
const OF_SESSION: ReadonlySet<string> = new Set(["modes", "configOptions"]);

function isAdvertised(
  path: string,
  { initialized, session }: SubjectFacts,
  protocol: 1 | 2,
): boolean {
  if (OF_SESSION.has(path)) {
    const value = session?.[path];
    return Array.isArray(value) ? value.length > 0 : isJsonObject(value);
  }
  if (path === "authMethods") {
    return Array.isArray(initialized[path]) && initialized[path].length > 0;
  }
  const own = initialized[protocol === 1 ? "agentCapabilities" : "capabilities"];
  return hasCapability(isJsonObject(own) ? own : {}, path);
}

/** The connections of an attempt, for people who want to see everything. */
function transcriptsOf(
  name: string,
  { links }: Attempt,
  ids: readonly string[],
): readonly CaseTranscript[] {
  return links.map(({ link }) => {
    const begin = link.frames[0]?.ms ?? 0;
    return {
      ids,
      name,
      lines: link.frames.map(({ direction, line, ms }) => ({
        direction,
        line,
        ms: ms - begin,
      })),
      stderr: link.transport.stderr(),
    };
  });
}
