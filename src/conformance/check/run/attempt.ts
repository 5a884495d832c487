import { AgentCheck, type RunContext, type WatchedLink } from "../agent/agent-check.ts";
import type { AgentCase } from "../agent/case.ts";
import { Unmet } from "../harness/errors.ts";
import type { VerdictBook } from "../verdicts.ts";
import { runCase } from "./case.ts";
import { mergePassive, passiveOf, type PassiveResult } from "./passive.ts";
import type { SharedProcess } from "./shared.ts";

/** One run of one case. */
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
  one: AgentCase,
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
  const own = passiveOf(check.watched);
  return {
    verdicts: check,
    passive: shared ? mergePassive(own, shared.drain()) : own,
    links: check.watched,
    isBlocked: error instanceof Unmet && error.isAuthentication,
    ms: performance.now() - started,
  };
}
