import { expect } from "vitest";
import { parseArguments } from "../../../src/cli/shell/parse.ts";
import { CliError, failureLine } from "../../../src/cli/shell/exit.ts";

/** The one line that a wrong command line is answered with. */
export function usageMessage(
  argv: readonly string[],
  use: (parsed: ReturnType<typeof parseArguments>) => unknown = () => {},
) {
  try {
    use(parseArguments(argv));
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    expect(error.code).toBe(2);
    const line = failureLine(error.details);
    expect(line).not.toContain("\n");
    return line;
  }
  return "no usage error";
}
