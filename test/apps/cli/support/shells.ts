import { execFile, spawnSync } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import type { CompletionShell } from "../../../../src/apps/cli/commands/completion/declaration.ts";
import { GRAMMAR } from "../../../../src/apps/cli/commands/grammar.ts";
import { hasPty, openPty } from "../../../support/pty.ts";
import type { Scratch } from "./run.ts";
import { completionScript } from "../../../../src/apps/cli/commands/completion/scripts.ts";

/** Why a shell cannot be tested on this machine; undefined if it can. */
export function shellUnavailable(shell: CompletionShell): string | undefined {
  if (spawnSync(shell, ["--version"]).status !== 0) return `${shell} is not installed`;
  // The completion of zsh is part of its line editor, which needs a terminal.
  if (shell === "zsh" && !hasPty) return "zsh needs a terminal, and Python is needed to open one";
  return undefined;
}

/** The words that a real shell offers to complete each line, by line. */
export async function offers(
  shell: CompletionShell,
  lines: readonly string[],
  folders: Scratch,
): Promise<ReadonlyMap<string, readonly string[]>> {
  await writeFile(join(folders.home, `dragoman.${shell}`), completionScript(shell, GRAMMAR));
  const texts = await ASK[shell](lines, folders);
  return new Map(lines.map((line, index) => [line, wordsOf(texts[index] ?? "")]));
}

type Ask = (lines: readonly string[], folders: Scratch) => Promise<readonly string[]>;

const ASK: Readonly<Record<CompletionShell, Ask>> = {
  bash: async (lines, folders) => {
    const script = `. ~/dragoman.bash; IFS=
      for line in "$@"; do
        # The completion function gets the line as words; an equals sign is a word of its own.
        IFS=' ' read -ra COMP_WORDS <<< "\${line//=/ = }"
        [[ $line == *' ' ]] && COMP_WORDS+=("")
        COMP_CWORD=$((\${#COMP_WORDS[@]} - 1)); COMPREPLY=(); _dragoman
        ((\${#COMPREPLY[@]})) || COMPREPLY=($(compgen -f -- "\${COMP_WORDS[COMP_CWORD]}"))
        printf '%s\\n' "\${COMPREPLY[@]}" =
      done`;
    return (await output("bash", ["--norc", "-c", script, "bash", ...lines], folders)).split("=\n");
  },
  fish: async (lines, folders) => {
    const script =
      "source ~/dragoman.fish; for line in $argv; complete --do-complete $line; echo =; end";
    const printed = await output("fish", ["--no-config", "-c", script, ...lines], folders);
    // A description follows each word, and an option precedes its value.
    return printed
      .replace(/\t.*/g, "")
      .replace(/^--[\w-]+=/gm, "")
      .split("=\n");
  },
  zsh: async (lines, folders) => {
    await writeFile(join(folders.home, "setup.zsh"), ZSH_SETUP);
    const pty = openPty(["zsh", "-f", "-i"], {
      cwd: folders.cwd,
      env: envOf(folders),
      columns: 200,
    });
    pty.type(". ~/setup.zsh\n");
    await pty.waitFor("set up");
    const found: string[] = [];
    for (const line of lines) {
      pty.type(`${line}\u0007`);
      await pty.waitFor("completed");
      found.push(await readFile(join(folders.home, "offered"), "utf8"));
    }
    pty.type("exit\n");
    await pty.ended;
    return found;
  },
};

/** Makes Ctrl-G complete the line, save the offered words to a file, and clear the line. */
const ZSH_SETUP = `
autoload -U compinit; compinit -u -D; . ~/dragoman.zsh
compadd() {
  local -a hits
  if [[ \${@[1,(i)(-|--)]} != *-[OAD]\\ * ]]; then
    builtin compadd -A hits "$@"
    print -rl -- $hits >> ~/offered
  fi
  builtin compadd "$@"
}
offer() { : > ~/offered; zle complete-word; BUFFER=; print -r -- complete''d }
zle -N offer; bindkey '^G' offer
print -r -- set'' up
`;

function envOf({ home }: Scratch) {
  const path = `${join(home, "bin")}:${process.env["PATH"] ?? ""}`;
  return { PATH: path, HOME: home, TERM: "xterm", LANG: "C.UTF-8" };
}

async function output(command: string, args: readonly string[], folders: Scratch): Promise<string> {
  const options = { cwd: folders.cwd, env: envOf(folders) };
  return (await promisify(execFile)(command, args, options)).stdout;
}

function wordsOf(text: string): readonly string[] {
  const words = text.split("\n").map((word) => word.replace(/\/$/, ""));
  return [...new Set(words.filter((word) => word !== ""))].toSorted();
}
