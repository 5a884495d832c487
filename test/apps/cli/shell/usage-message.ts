import type { ParsedCommandLine } from "../../../../src/apps/cli/shell/parse.ts";
import { expect } from "vitest";
import { GRAMMAR } from "../../../../src/apps/cli/commands/grammar.ts";
import { CliError, failureLine } from "../../../../src/apps/cli/shell/exit.ts";

/** The one line that a wrong command line is answered with. */
export function usageMessage(
  argv: readonly string[],
  use: (parsed: ParsedCommandLine) => unknown = () => {},
) {
  try {
    use(GRAMMAR.parse(argv));
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    expect(error.code).toBe(2);
    const line = failureLine(error.details);
    expect(line).not.toContain("\n");
    return line;
  }
  return "no usage error";
}
