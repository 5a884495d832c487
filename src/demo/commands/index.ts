import type { AvailableCommand } from "../../acp/index.ts";
import type { Command } from "./command.ts";
import { endings } from "./endings.ts";
import { questions } from "./questions.ts";
import { session } from "./session.ts";
import { streams } from "./streams.ts";
import { tools } from "./tools.ts";

const help: Command = {
  name: "help",
  description: "Lists the commands",
  async run(turn) {
    const lines = ALL.map(({ name, hint, description }) => {
      const call = hint === undefined ? `/${name}` : `/${name} [${hint}]`;
      return `- \`${call}\` ${description}`;
    });
    await turn.say(`I answer any other prompt by searching the workspace.\n\n${lines.join("\n")}`);
  },
};

const ALL: readonly Command[] = [help, ...streams, ...tools, ...questions, ...session, ...endings];
const BY_NAME = new Map(ALL.map((command) => [command.name, command]));

/** Parses a command and its arguments from a prompt; undefined if it has none. */
export function parseCommand(
  text: string,
): { readonly command: Command; readonly rest: string } | undefined {
  const [, name = "", rest = ""] = /^\s*\/([\w-]+)\s*([\s\S]*)$/.exec(text) ?? [];
  const command = BY_NAME.get(name);
  return command && { command, rest: rest.trim() };
}

/** The commands as listed for the client. */
export const LISTED_COMMANDS: readonly AvailableCommand[] = ALL.filter(
  ({ name }) => name !== "surprise",
).map(({ name, description, hint }) => ({
  name,
  description,
  ...(hint === undefined ? {} : { input: { hint } }),
}));
