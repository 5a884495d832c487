import { parseArguments, type ParsedCommandLine } from "./shell/parse.ts";
import { CliError, EXIT, failureLine, type ExitCode } from "./shell/exit.ts";
import type { Io } from "./shell/io.ts";
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
  switch (parsed.command) {
    case "prompt":
      return (await import("./commands/prompt/command.ts")).promptCommand(parsed, io);
    case "chat":
      return (await import("./commands/chat/command.ts")).chatCommand(parsed, io);
    case "agents":
      return (await import("./commands/agents/command.ts")).agentsCommand(parsed, io);
    case "sessions":
      return (await import("./commands/sessions/command.ts")).sessionsCommand(parsed, io);
    case "compare":
      return (await import("./commands/compare/command.ts")).compareCommand(parsed, io);
    case "config":
      return (await import("./commands/config/command.ts")).configCommand(parsed, io);
    case "doctor":
      return (await import("./commands/doctor/command.ts")).doctorCommand(parsed, io);
    case "check":
      return (await import("./commands/check/command.ts")).checkCommand(parsed, io);
    case "inspect":
      return (await import("./commands/inspect/command.ts")).inspectCommand(parsed, io);
    case "proxy":
      return (await import("./commands/proxy/command.ts")).proxyCommand(parsed, io);
    case "serve":
      return (await import("./commands/serve/command.ts")).serveCommand(parsed, io);
    case "hub":
      return (await import("./commands/hub/command.ts")).hubCommand(parsed, io);
    case "attach":
      return (await import("./commands/attach/command.ts")).attachCommand(parsed, io);
    case "worker":
      return (await import("./commands/worker/command.ts")).workerCommand(parsed, io);
    case "gateway":
      return (await import("./commands/gateway/command.ts")).gatewayCommand(parsed, io);
    case "jobs":
      return (await import("./commands/jobs/command.ts")).jobsCommand(parsed, io);
    case "fleet":
      return (await import("./commands/fleet/command.ts")).fleetCommand(parsed, io);
    case "replay":
      return (await import("./commands/replay/command.ts")).replayCommand(parsed, io);
    case "completion":
      return (await import("./commands/completion/command.ts")).completionCommand(parsed, io);
    case "help":
      return help(parsed, io);
  }
}

async function help({ command, words }: ParsedCommandLine, io: Io): Promise<ExitCode> {
  const { helpText, commandNamed } = await import("./commands/help/help.ts");
  return print(io, helpText(command === "help" ? commandNamed(words) : command));
}

/** Prints text. A reader that closes the pipe early, as in `| head`, is not a failure. */
function print({ stdout }: Io, text: string): Promise<ExitCode> {
  return new Promise((resolve) => {
    stdout.stream.on("error", () => resolve(EXIT.done));
    stdout.stream.write(text, () => resolve(EXIT.done));
  });
}
