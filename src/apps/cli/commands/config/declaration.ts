import type { CommandSpec } from "../../shell/parse.ts";

export const CONFIG_ACTIONS = ["get", "set", "unset", "list", "path"] as const;

export const config: CommandSpec = {
  name: "config",
  usage: "config [get|set|unset|list|path]",
  help: "show or change your settings",
  details: async () => (await import("./help.ts")).configHelp(),
  takes: ["settings", "cwd", "outputmode", "jsonl"],
  next: CONFIG_ACTIONS,
};
