import type { ParsedCommandLine } from "../args/parse.ts";
import { completionScript, SHELLS } from "../completion/index.ts";
import { EXIT, usageError, type ExitCode } from "../exit.ts";
import type { Io } from "../io.ts";

/** `dragoman completion bash|zsh|fish`: prints a completion script. */
export function completionCommand({ words }: ParsedCommandLine, io: Io): Promise<ExitCode> {
  const shell = SHELLS.find((name) => name === words[0]);
  if (shell === undefined || words.length !== 1) {
    throw usageError("completion needs a shell", `dragoman completion ${SHELLS.join("|")}`);
  }
  return new Promise((resolve) => {
    io.stdout.stream.on("error", () => resolve(EXIT.done));
    io.stdout.stream.write(completionScript(shell), () => resolve(EXIT.done));
  });
}
