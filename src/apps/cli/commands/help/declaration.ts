import type { CommandSpec } from "../../shell/parse.ts";

export const help: CommandSpec = {
  name: "help",
  usage: "help [COMMAND]",
  help: "print help",
  takes: [],
  next: "commands",
};
