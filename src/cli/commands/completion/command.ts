import type { ParsedCommandLine } from "../../shell/parse.ts";
import { completionScript, SHELLS } from "./index.ts";
import { EXIT, usageError, type ExitCode } from "../../shell/exit.ts";
import type { Io } from "../../shell/io.ts";

/** `dragoman completion bash|zsh|fish`: prints a completion script. */
export async function completionCommand({ words }: ParsedCommandLine, io: Io): Promise<ExitCode> {
  if (words[0] === "sessions") {
    const { sessionCandidates } = await import("./sessions.ts");
    return print(io, await sessionCandidates(io, words.slice(1)));
  }
  const shell = SHELLS.find((name) => name === words[0]);
  if (shell === undefined || words.length !== 1) {
    throw usageError("completion needs a shell", `dragoman completion ${SHELLS.join("|")}`);
  }
  return print(io, completionScript(shell));
}

function print({ stdout }: Io, text: string): Promise<ExitCode> {
  return new Promise((resolve) => {
    stdout.stream.on("error", () => resolve(EXIT.done));
    stdout.stream.write(text, () => resolve(EXIT.done));
  });
}
