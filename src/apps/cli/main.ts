import { GRAMMAR } from "./commands/grammar.ts";
import { CliError, EXIT, failureLine, type ExitCode } from "./shell/exit.ts";
import { print, type Io } from "./shell/io.ts";
import { sanitizeJson, sanitizeLine } from "../../base/index.ts";

/**
 * Runs the command line and returns its exit code. Commands are loaded only when one runs, so that
 * help and usage errors stay fast. Never rejects: every failure is printed and becomes an exit code.
 */
export async function main(argv: readonly string[], io: Io): Promise<ExitCode> {
  const startedAt = io.now();
  try {
    const parsed = GRAMMAR.parse(argv);
    const { values, command } = parsed;
    if (values.flag("version")) {
      await print(io, `${io.version}\n`);
      return EXIT.done;
    }
    const { run } = await (values.flag("help")
      ? import("./commands/help/command.ts")
      : command.load());
    return await run(parsed, io);
  } catch (error) {
    const failure = error instanceof CliError ? error : await asInternalError(error);
    if (asksForResult(argv, io)) {
      const { plainResult, resultLine } = await import("./render/json/events.ts");
      const line = resultLine(plainResult(io.now() - startedAt, failure));
      io.stdout.stream.write(io.stdout.isTty ? sanitizeJson(line) : line);
    }
    io.stderr.stream.write(`dragoman: ${sanitizeLine(failureLine(failure.details))}\n`);
    return failure.code;
  }
}

async function asInternalError(error: unknown): Promise<CliError> {
  const { internalError } = await import("./shell/internal-error.ts");
  return internalError(error);
}

const WITH_RESULT: readonly (string | undefined)[] = ["events", "result"];

/**
 * Whether the output ends with a result, as `-o events` and `-o result` do, by the flag or its variable.
 * Searches the raw arguments, because parsing them may have failed.
 */
function asksForResult(argv: readonly string[], { env }: Io): boolean {
  const end = argv.indexOf("--");
  const words = argv.slice(0, end === -1 ? argv.length : end);
  const modes = words.flatMap((word, index) => {
    if (word === "-o" || word === "--outputmode") return [words[index + 1]];
    return /^(?:-o|--outputmode=)(.+)$/.exec(word)?.[1] ?? [];
  });
  return WITH_RESULT.includes(modes.at(-1) ?? env["DRAGOMAN_OUTPUT"]);
}
