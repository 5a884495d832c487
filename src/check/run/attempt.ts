import { quiet, SpawnError, toError, within } from "../../wire/index.ts";
import { AgentCheck, type RunContext, type WatchedLink } from "../agent/agent-check.ts";
import type { AgentCase } from "../agent/case.ts";
import { CheckerFault, RunEnded, Unmet } from "../harness/errors.ts";
import type { VerdictBook } from "../verdicts.ts";
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

/**
 * Every wait of a case has its own limit. This one is for a case that forgot one, so it has room for
 * several turns of a slow subject.
 */
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
  const stop = (): void => check.verdicts.close();
  context.signal.addEventListener("abort", stop, { once: true });
  let isBlocked = false;
  try {
    const work = quiet(one.run(check));
    const limitMs = Math.max(CASE_FLOOR_MS, CASE_TURNS * context.pace.turnMs);
    if (!(await within(work, limitMs))) throw new CheckerFault("the case did not end in time");
  } catch (error) {
    isBlocked = error instanceof Unmet && error.isAuthentication;
    explain(one, check, toError(error), context);
  }
  context.signal.removeEventListener("abort", stop);
  addFaults(one, check);
  check.verdicts.close();
  await check.end();
  const own = passiveOf(check.watched);
  return {
    verdicts: check.verdicts,
    passive: shared ? mergePassive(own, shared.drain()) : own,
    links: check.watched,
    isBlocked,
    ms: performance.now() - started,
  };
}

/** Requirements that the error left without a verdict are untested, or a fault of the checker. */
function explain(
  { ids }: AgentCase,
  { verdicts }: AgentCheck,
  error: Error,
  { signal }: RunContext,
): void {
  for (const id of ids) {
    if (verdicts.get(id) !== undefined) continue;
    if (error instanceof Unmet) verdicts.untested(id, error.message);
    else if (error instanceof RunEnded || signal.aborted)
      verdicts.untested(id, "the run ended early");
    else if (error instanceof SpawnError) verdicts.untested(id, error.message);
    else verdicts.fault(id, `${error.name}: ${error.message}`);
  }
}

function addFaults({ ids }: AgentCase, { verdicts, watched }: AgentCheck): void {
  const [fault] = watched.flatMap(({ link }) => link.faults);
  if (fault) for (const id of ids) verdicts.fault(id, `${fault.name}: ${fault.message}`);
}
