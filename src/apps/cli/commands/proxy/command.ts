import { joinCommandLine } from "../../../../base/index.ts";
import type { ParsedCommandLine } from "../../shell/parse.ts";
import { type ExitCode, usageError } from "../../shell/exit.ts";
import type { Io } from "../../shell/io.ts";
import { runForPeople } from "../../context/context.ts";

/**
 * `dragoman proxy (-a NAME | -- CMD)`: speaks ACP on stdin and stdout in place of an agent. Exits with 0
 * when the editor closes stdin.
 */
export async function run(parsed: ParsedCommandLine, io: Io): Promise<ExitCode> {
  const commandLine = commandLineOf(parsed);
  if (parsed.values.flag("doctor")) {
    const { proxyDoctor } = await import("./doctor.ts");
    return proxyDoctor(parsed, io, commandLine);
  }
  const { runProxy } = await import("./run.ts");
  // The terminal belongs to the editor, which may run in it, so no question is asked there.
  const quiet = { ...io, openTerminal: () => undefined };
  return runForPeople(quiet, parsed.values, async (context) => {
    try {
      return await runProxy(context, commandLine);
    } finally {
      await context.inspector?.close();
    }
  });
}

/** The agent's command after `--`, if there is one. Throws a usage error unless there is one agent. */
function commandLineOf({ values, words }: ParsedCommandLine): string | undefined {
  const named = (["agent", "agent-command", "agent-url"] as const).find(
    (name) => values.text(name) !== undefined,
  );
  if (words.length === 0) {
    if (named !== undefined) return undefined;
    throw usageError(
      "proxy needs an agent",
      "dragoman proxy -a NAME, or dragoman proxy -- COMMAND",
    );
  }
  if (named !== undefined) throw usageError(`--${named} and a command contradict each other`);
  return joinCommandLine(words);
}
