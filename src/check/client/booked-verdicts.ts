import { VerdictBook } from "../verdicts.ts";
import type { AgentFrame } from "./agent.ts";

/** Gives verdicts, and keeps them in a book. */
export class BookedVerdicts {
  readonly verdicts = new VerdictBook();

  pass(id: string, evidence: string, frames: readonly (AgentFrame | undefined)[] = []): void {
    this.verdicts.pass(id, evidence, defined(frames));
  }

  fail(
    id: string,
    expected: string,
    actual: string,
    frames: readonly (AgentFrame | undefined)[] = [],
  ): void {
    this.verdicts.fail(id, { expected, actual, frames: defined(frames) });
  }

  untested(id: string, reason: string): void {
    this.verdicts.untested(id, reason);
  }

  skip(id: string, reason: string): void {
    this.verdicts.skip(id, reason);
  }
}

function defined(frames: readonly (AgentFrame | undefined)[]): readonly AgentFrame[] {
  return frames.filter((frame) => frame !== undefined);
}
