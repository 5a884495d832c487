import { parseArguments, type ParsedCommandLine } from "./args/parse.ts";
import { CliError, EXIT, failureLine, type ExitCode } from "./exit.ts";
import type { Io } from "./io.ts";
import { sanitiseJson, sanitiseLine } from "./render/terminal/sanitise.ts";

/**
 * Runs the command line and returns its exit code. Commands are loaded only when one runs, so that
 * help and usage errors stay fast. Never rejects: every failure is printed and becomes an exit code.
 */
export async function main(argv: readonly string[], io: Io): Promise<ExitCode> {
  const startedAt = io.now();
  try {
    const parsed = parseArguments(argv);
    if (parsed.values.flag("version")) return await print(io, `${io.version}\n`);
    if (parsed.values.flag("help") || parsed.command === "help") return await help(parsed, io);
    return await run(parsed, io);
  } catch (error) {
    const failure = error instanceof CliError ? error : await internalError(error);
    if (asksForResult(argv, io)) {
      const [{ resultLine }, { plainResult }] = await Promise.all([
        import("./render/json/events.ts"),
        import("./render/renderer.ts"),
      ]);
      const line = resultLine(plainResult(io.now() - startedAt, failure));
      io.stdout.stream.write(io.stdout.isTty ? sanitiseJson(line) : line);
    }
    io.stderr.stream.write(`dragoman: ${sanitiseLine(failureLine(failure.details))}\n`);
    return failure.code;
  }
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

/** An error that no code expected is a bug in Dragoman, and is reported as one. */
async function internalError(error: unknown): Promise<CliError> {
  const { redactText } = await import("../wire/index.ts");
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  const what = `internal error: ${redactText(text)}`;
  return new CliError("agentError", { what, hint: "report this as a bug" });
}

async function run(parsed: ParsedCommandLine, io: Io): Promise<ExitCode> {
  const commands = await import("./commands/index.ts");
  switch (parsed.command) {
    case "prompt":
      return commands.promptCommand(parsed, io);
    case "chat":
      return commands.chatCommand(parsed, io);
    case "agents":
      return commands.agentsCommand(parsed, io);
    case "sessions":
      return commands.sessionsCommand(parsed, io);
    case "compare":
      return commands.compareCommand(parsed, io);
    case "config": {
      const { configCommand } = await import("./commands/config.ts");
      return configCommand(parsed, io);
    }
    case "doctor":
      return commands.doctorCommand(parsed, io);
    case "check": {
      const { checkCommand } = await import("./commands/check.ts");
      return checkCommand(parsed, io);
    }
    case "proxy":
      return commands.proxyCommand(parsed, io);
    case "serve":
      return commands.serveCommand(parsed, io);
    case "hub":
      return commands.hubCommand(parsed, io);
    case "attach":
      return commands.attachCommand(parsed, io);
    case "replay":
      return commands.replayCommand(parsed, io);
    case "completion":
      return commands.completionCommand(parsed, io);
    case "help":
      return help(parsed, io);
  }
}

async function help({ command, words }: ParsedCommandLine, io: Io): Promise<ExitCode> {
  const { helpText, commandNamed } = await import("./help.ts");
  return print(io, helpText(command === "help" ? commandNamed(words) : command));
}

/** Prints text. A reader that closes the pipe early, as in `| head`, is not a failure. */
function print({ stdout }: Io, text: string): Promise<ExitCode> {
  return new Promise((resolve) => {
    stdout.stream.on("error", () => resolve(EXIT.done));
    stdout.stream.write(text, () => resolve(EXIT.done));
  });
}
