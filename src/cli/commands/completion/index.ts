import { bashScript } from "./bash.ts";
import { fishScript } from "./fish.ts";
import type { CompletionShell } from "./known.ts";
import { zshScript } from "./zsh.ts";

export { SHELLS, type CompletionShell } from "./known.ts";

const SCRIPTS: Readonly<Record<CompletionShell, () => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
};

/** The completion script for a shell, generated from the table of options. */
export function completionScript(shell: CompletionShell): string {
  return SCRIPTS[shell]();
}
