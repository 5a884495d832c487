import type { Grammar, ParsedCommandLine } from "../../shell/parse.ts";
import { completionScript } from "./scripts.ts";
import { SHELLS } from "./declaration.ts";
import { EXIT, usageError, type ExitCode } from "../../shell/exit.ts";
import { print, type Io } from "../../shell/io.ts";
import { resolve } from "node:path";
import { sanitizeLine } from "../../../../base/index.ts";
import { timeAgo } from "../../render/text/phrases.ts";
import { SessionStore } from "../../stored/sessions.ts";

/** `dragoman completion bash|zsh|fish`: prints a completion script. */
export async function run(
  { words, values: { grammar } }: ParsedCommandLine,
  io: Io,
): Promise<ExitCode> {
  if (words[0] === "sessions") {
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

/** Ids that a shell does not have to quote. */
const PLAIN_ID = /^[\w.:@+-]+$/;

/**
 * The sessions that `--resume` can complete, one per line: the id, a tab, and its age and title. They are
 * those that earlier runs have seen in this folder, because starting the agent would take too long. `line`
 * has the words of the unfinished command line, which may name the agent and the folder.
 */
export async function sessionCandidates(
  io: Io,
  grammar: Grammar,
  line: readonly string[],
): Promise<string> {
  const { agent, cwd } = given(grammar, line);
  const known = await new SessionStore(io).known(resolve(io.cwd, cwd ?? "."), agent);
  const now = io.now();
  return known
    .filter(({ sessionId }) => PLAIN_ID.test(sessionId))
    .map(({ sessionId, at, title, agent: name }) => {
      const time = Date.parse(at);
      const about = [
        title === undefined ? name : sanitizeLine(title),
        ...(Number.isNaN(time) ? [] : [timeAgo(time, now)]),
      ];
      return `${sessionId}\t${about.join(", ").replaceAll("\t", " ")}\n`;
    })
    .join("");
}

/** An unfinished line may be invalid. Then all agents of the current folder count. */
function given(
  grammar: Grammar,
  line: readonly string[],
): { agent?: string | undefined; cwd?: string | undefined } {
  // Bash passes --name=value as three words.
  const words = line.join("\n").replaceAll("\n=\n", "=").split("\n");
  for (let length = words.length; length > 0; length--) {
    try {
      const { values } = grammar.parse(words.slice(0, length));
      return { agent: values.text("agent"), cwd: values.text("cwd") };
    } catch {
      // The last word may be an option that still lacks its value.
    }
  }
  return {};
}
