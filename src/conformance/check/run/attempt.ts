import {
  AgentCheck,
  type OpenAgent,
  type RunContext,
  type SharedAgent,
  type WatchedLink,
} from "../agent/agent-check.ts";
import type { AssignedCase } from "../agent/case.ts";
import { Unmet } from "../harness/errors.ts";
import type { ScratchPlace } from "../subject/home.ts";
import type { VerdictBook } from "../verdicts.ts";
import { runCase } from "./case.ts";
import { mergePassiveResults, passiveResultOf, type PassiveResult } from "./results.ts";

export interface Attempt {
  readonly verdicts: VerdictBook;
  readonly passive: PassiveResult;
  /** The connections, closed by now. */
  readonly links: readonly WatchedLink[];
  /** Set if the subject asked for a sign-in. */
  readonly isBlocked: boolean;
  readonly ms: number;
}

/** Leaves room for several turns of a slow subject. */
const CASE_FLOOR_MS = 180_000;
const CASE_TURNS = 8;

/** Runs a case once, in a shared process or in its own, and ends everything that it started. */
export async function attemptCase(
  one: AssignedCase,
  context: RunContext,
  shared?: SharedProcess,
): Promise<Attempt> {
  const started = performance.now();
  const check = new AgentCheck(context, shared);
  const error = await runCase({
    ids: one.ids,
    verdicts: check,
    work: () => one.run(check),
    limitMs: Math.max(CASE_FLOOR_MS, CASE_TURNS * context.pace.turnMs),
    signal: context.signal,
    faults: () => check.watched.flatMap(({ link }) => link.faults),
    end: () => check.end(),
  });
  const own = passiveResultOf(check.watched);
  return {
    verdicts: check,
    passive: shared ? mergePassiveResults(own, shared.drain()) : own,
    links: check.watched,
    isBlocked: error instanceof Unmet && error.isAuthentication,
    ms: performance.now() - started,
  };
}

/** The process that cases share which only read. It is started again if it has ended. */
export class SharedProcess implements SharedAgent {
  readonly #check: AgentCheck;
  #agent: OpenAgent | undefined;
  readonly #drained = new Map<WatchedLink, number>();
  #judged: ReadonlyMap<string, number> = new Map();

  constructor(context: RunContext) {
    this.#check = new AgentCheck(context);
  }

  place(): Promise<ScratchPlace> {
    return this.#check.place();
  }

  async open(): Promise<OpenAgent> {
    if (this.#agent && this.#agent.link.end === undefined) return this.#agent;
    this.#agent = await this.#check.open({});
    return this.#agent;
  }

  /** The observations of passive judges since the last call. */
  drain(): PassiveResult {
    const { watched } = this.#check;
    const { violations, judged } = passiveResultOf(watched, this.#drained);
    for (const one of watched) this.#drained.set(one, one.link.judge.violations.length);
    const before = this.#judged;
    this.#judged = judged;
    const fresh = [...judged].map(([id, count]): [string, number] => [
      id,
      count - (before.get(id) ?? 0),
    ]);
    return { violations, judged: new Map(fresh.filter(([, count]) => count > 0)) };
  }

  async end(): Promise<void> {
    await this.#check.end();
  }
}
