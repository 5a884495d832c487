import type { ActionTable, CommandSpec } from "../../shell/parse.ts";

const KEY = { usage: "KEY", needs: "one key", hint: "dragoman config lists them" } as const;

export const CONFIG_ACTIONS = {
  "": { help: "every setting, its value, and where it comes from" },
  get: { ...KEY, help: "print one value" },
  set: { usage: "KEY VALUE", help: "change a setting; comments in the file stay" },
  unset: { ...KEY, help: "remove a setting" },
  list: { help: "print the settings in the file, one per line" },
  path: { help: "print the path of the file" },
} as const satisfies ActionTable;

export const config: CommandSpec = {
  name: "config",
  usage: "config [get|set|unset|list|path]",
  help: "show or change your settings",
  actions: CONFIG_ACTIONS,
  details: async () => (await import("./help.ts")).configHelp(),
  takes: ["settings", "cwd", "outputmode", "jsonl"],
};
