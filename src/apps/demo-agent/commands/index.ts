import type { AvailableCommand } from "../../../protocol/acp/index.ts";
import type { TurnEnd } from "../../../agent/index.ts";
import type { DemoTurn } from "../files.ts";
import { type Command, type CommandContext, Explained } from "./command.ts";
import { endings, work } from "./turns.ts";
import { questions, session } from "./session.ts";
import { streams } from "./streams.ts";
import { tools } from "./tools.ts";
import { unstable } from "./unstable.ts";

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

/** Runs the command in a prompt, and says how the turn ends; undefined if there is none. */
export async function runCommand(
  turn: DemoTurn,
  context: CommandContext & { readonly unstable?: boolean },
): Promise<{ readonly end: TurnEnd } | undefined> {
  const [, name = "", rest = ""] = /^\s*\/([\w-]+)\s*([\s\S]*)$/.exec(turn.text) ?? [];
  const command = commands(context.unstable === true).find((candidate) => candidate.name === name);
  if (!command) return undefined;
  const { needs } = command;
  try {
    if (needs === undefined || turn.client.can(needs))
      return { end: await command.run(turn, rest.trim(), context) };
    const hint = needs === "terminal" ? " `dragoman` advertises it with --exec." : "";
    throw new Explained(`Your client does not advertise \`${needs}\`, so I cannot use it.${hint}`);
  } catch (error) {
    if (!(error instanceof Explained)) throw error;
    await turn.say(error.message);
    return { end: error.end };
  }
}

export function listedCommands(withUnstable: boolean): readonly AvailableCommand[] {
  return commands(withUnstable)
    .filter(({ name }) => name !== "surprise")
    .map(({ name, description, hint }) => ({
      name,
      description,
      ...(hint === undefined ? {} : { input: { hint } }),
    }));
}
