import { bashScript } from "./bash.ts";
import { fishScript } from "./fish.ts";
import type { Shell } from "./known.ts";
import { zshScript } from "./zsh.ts";

export { SHELLS, type Shell } from "./known.ts";

const SCRIPTS: Readonly<Record<Shell, () => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
};

/** A completion script, made from the table of options. */
export function completionScript(shell: Shell): string {
  return SCRIPTS[shell]();
}
