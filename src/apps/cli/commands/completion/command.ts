import type { Grammar, ParsedCommandLine } from "../../shell/parse.ts";
import { bashScript, fishScript, zshScript } from "./scripts.ts";
import { type CompletionShell, SHELLS } from "./declaration.ts";
import { EXIT, usageError, type ExitCode } from "../../shell/exit.ts";
import { print, type Io } from "../../shell/io.ts";

const SCRIPTS: Readonly<Record<CompletionShell, (grammar: Grammar) => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
};

/** The completion script for a shell, generated from the declarations of the commands. */
export function completionScript(shell: CompletionShell, grammar: Grammar): string {
  return SCRIPTS[shell](grammar);
}

/** `dragoman completion bash|zsh|fish`: prints a completion script. */
export async function run(
  { words, values: { grammar } }: ParsedCommandLine,
  io: Io,
): Promise<ExitCode> {
  if (words[0] === "sessions") {
    const { sessionCandidates } = await import("./sessions.ts");
    await print(io, await sessionCandidates(io, grammar, words.slice(1)));
    return EXIT.done;
  }
  const shell = SHELLS.find((name) => name === words[0]);
  if (shell === undefined || words.length !== 1) {
    throw usageError("completion needs a shell", `dragoman completion ${SHELLS.join("|")}`);
  }
  await print(io, completionScript(shell, grammar));
  return EXIT.done;
}
