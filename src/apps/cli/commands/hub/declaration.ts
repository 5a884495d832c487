import type { ActionTable, CommandSpec } from "../../shell/parse.ts";

export const HUB_ACTIONS = {
  status: {
    help: "print the hubs of this user, their agents and their sessions (-o events: as JSON)",
  },
  stop: {
    help: "end them; running turns may go on for --timeout TIME (default: 10s)",
    options: ["timeout"],
  },
  logs: { help: "print the log" },
} as const satisfies ActionTable;

export const hub: CommandSpec = {
  name: "hub",
  usage: "hub status|stop|logs",
  help: "show or stop the hub that keeps agents warm, or print its log",
  actions: HUB_ACTIONS,
  takes: ["outputmode", "timeout"],
};
