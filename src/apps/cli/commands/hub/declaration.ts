import type { CommandSpec } from "../../shell/parse.ts";

export const HUB_ACTIONS = ["status", "stop", "logs"] as const;

export const hub: CommandSpec = {
  name: "hub",
  usage: "hub status|stop|logs",
  help: "show or stop the hub that keeps agents warm, or print its log",
  details: [
    "  status    print the hubs of this user, their agents and their sessions (-o events: as JSON)",
    "  stop      end them; running turns may go on for --timeout TIME (default: 10s)",
    "  logs      print the log",
    "",
  ],
  takes: ["outputmode", "timeout"],
  next: HUB_ACTIONS,
};
