import type { AvailableCommand } from "../../../protocol/acp/index.ts";
import type { Command } from "./command.ts";
import { endings } from "./endings.ts";
import { questions } from "./questions.ts";
import { session } from "./session.ts";
import { streams } from "./streams.ts";
import { tools } from "./tools.ts";
import { unstable } from "./unstable.ts";
import { work } from "./work.ts";

function helpAbout(others: readonly Command[]): Command {
  const help: Command = {
    name: "help",
    description: "Lists the commands",
    async run(turn) {
      const lines = [help, ...others].map(({ name, hint, description }) => {
        const call = hint === undefined ? `/${name}` : `/${name} [${hint}]`;
        return `- \`${call}\` ${description}`;
      });
      await turn.say(
        `I answer any other prompt by searching the workspace.\n\n${lines.join("\n")}`,
      );
    },
  };
  return help;
}

const STABLE: readonly Command[] = [
  ...streams,
  ...tools,
  ...work,
  ...questions,
  ...session,
  ...endings,
];

/** The commands, with those of the unstable protocol if it is used. */
function commands(withUnstable: boolean): readonly Command[] {
  const others = withUnstable ? [...STABLE, ...unstable] : STABLE;
  return [helpAbout(others), ...others];
}

/** Parses a command and its arguments from a prompt; undefined if it has none. */
export function parseCommand(
  text: string,
  withUnstable: boolean,
): { readonly command: Command; readonly rest: string } | undefined {
  const [, name = "", rest = ""] = /^\s*\/([\w-]+)\s*([\s\S]*)$/.exec(text) ?? [];
  const command = commands(withUnstable).find((candidate) => candidate.name === name);
  return command && { command, rest: rest.trim() };
}

/** The commands as listed for the client. */
export function listedCommands(withUnstable: boolean): readonly AvailableCommand[] {
  return commands(withUnstable)
    .filter(({ name }) => name !== "surprise")
    .map(({ name, description, hint }) => ({
      name,
      description,
      ...(hint === undefined ? {} : { input: { hint } }),
    }));
}
