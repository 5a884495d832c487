import type { Attempt } from "./attempt.ts";
import type { CaseTranscript } from "./options.ts";

/** The connections of an attempt, for people who want to see everything. */
export function transcriptsOf(
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
