import { PERMISSIONS } from "../../shell/options.ts";
import type { CommandSpec } from "../../shell/parse.ts";

export const attach: CommandSpec = {
  name: "attach",
  usage: "attach [SESSION]",
  help: "join a session that another client has open",
  details: [
    "Joins a session of the local hub, or of the server at --agent-url. Without SESSION it lists",
    "the sessions, and lets you choose one on a terminal. Ctrl-C cancels the turn. Ctrl-C twice",
    "at the prompt, or Ctrl-D, leaves the session, which stays open.",
  ],
  takes: [
    "agent-url",
    "token-file",
    "outputmode",
    "jsonl",
    "raw",
    "thoughts",
    "verbose",
    ...PERMISSIONS,
    "observe",
    "start-timeout",
  ],
};
