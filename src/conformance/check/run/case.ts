import { quietly, SpawnError, toError, within } from "../../../base/index.ts";
import { CheckerFault, NotApplicable, RunEnded, Unmet } from "../harness/errors.ts";
import type { VerdictBook } from "../verdicts.ts";

/** One case of either side, ready to run. */
export interface RunnableCase {
  readonly ids: readonly string[];
  readonly verdicts: VerdictBook;
  readonly work: () => Promise<void>;
  /** Each wait has its own limit. This one catches a case that forgot one. */
  readonly limitMs: number;
  /** Aborted when the run ends early. */
  readonly signal: AbortSignal;
  /** Errors of the checker that did not reach the case itself. */
  readonly faults: () => readonly Error[];
  readonly end: () => Promise<void>;
}

/**
 * Runs a case to its end. Never rejects: everything that goes wrong becomes a verdict about the
 * requirements of the case, so a run always has a report. Resolves with the error that ended the case.
 */
export async function runCase(one: RunnableCase): Promise<Error | undefined> {
  const { verdicts, signal, limitMs } = one;
  const stop = (): void => verdicts.close();
  signal.addEventListener("abort", stop, { once: true });
  let ended: Error | undefined;
  try {
    if (!(await within(quietly(one.work), limitMs))) throw new CheckerFault("the case timed out");
  } catch (error) {
    ended = toError(error);
    explain(one, ended);
  }
  signal.removeEventListener("abort", stop);
  blame(one, one.faults());
  verdicts.close();
  await one.end().catch((error: unknown) => blame(one, [toError(error)]));
  return ended;
}

/** Requirements that the error left without a verdict are untested, or a fault of the checker. */
function explain({ ids, verdicts, signal }: RunnableCase, error: Error): void {
  for (const id of ids) {
    if (error instanceof NotApplicable) verdicts.skip(id, error.message);
    if (verdicts.get(id) !== undefined) continue;
    if (error instanceof RunEnded || signal.aborted) verdicts.untested(id, "the run ended early");
    else if (error instanceof Unmet || error instanceof SpawnError)
      verdicts.untested(id, error.message);
    else verdicts.fault(id, wordsOf(error));
  }
}

function blame({ ids, verdicts }: RunnableCase, [fault]: readonly Error[]): void {
  if (fault) for (const id of ids) verdicts.fault(id, wordsOf(fault));
}

function wordsOf({ name, message }: Error): string {
  return `${name}: ${message}`;
}
