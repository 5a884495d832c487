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
    await turn.say(`Anything else is looked up in the workspace.\n\n${lines.join("\n")}`);
  },
};

const ALL: readonly Command[] = [help, ...streams, ...tools, ...questions, ...session, ...endings];
const BY_NAME = new Map(ALL.map((command) => [command.name, command]));

/** The command a prompt calls, with what stands behind it; undefined if it calls none. */
export function commandIn(
  text: string,
): { readonly command: Command; readonly rest: string } | undefined {
  const [, name = "", rest = ""] = /^\s*\/([\w-]+)\s*([\s\S]*)$/.exec(text) ?? [];
  const command = BY_NAME.get(name);
  return command && { command, rest: rest.trim() };
}

/** The commands as a client is told of them. */
export const OFFERED: readonly AvailableCommand[] = ALL.filter(
  ({ name }) => name !== "surprise",
).map(({ name, description, hint }) => ({
  name,
  description,
  ...(hint === undefined ? {} : { input: { hint } }),
}));
