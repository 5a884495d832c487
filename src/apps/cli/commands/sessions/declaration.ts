import { CONNECTION, type OptionTable } from "../../shell/options.ts";
import type { CommandSpec } from "../../shell/parse.ts";

export const SESSION_ACTIONS = ["list", "show", "delete", "export", "prune"] as const;

export const EXPORT_FORMATS = ["md", "html", "json"] as const;

export const SESSIONS_OPTIONS = {
  Session: {
    "--all": "the sessions of all folders, not just this one",
    "--format FORMAT": "format of export: md (default), html or json",
    "--older-than AGE":
      "prune sessions that have not changed for this long, such as 12h, 30d or 8w (default: 30d)",
    "--dry-run": "only print what prune would delete",
  },
} as const satisfies OptionTable;

export const sessions: CommandSpec = {
  name: "sessions",
  usage: "sessions list|show|delete|export|prune [ID]",
  help: "list, show, delete, export or prune an agent's sessions",
  details: [
    "  list         list the agent's sessions in this folder (--all: in every folder)",
    "  show ID      print the conversation",
    "  export ID    print it as Markdown, HTML or JSON (--format), or as events (-o events)",
    "  delete ID    delete the session",
    "  prune        delete old sessions (--older-than), after asking",
    "",
    "ID is a session's id, the start of an id that no other session has, or a name that was",
    "given with --session.",
    "",
  ],
  takes: [...CONNECTION, "yes"],
  own: SESSIONS_OPTIONS,
  ownWords: { format: EXPORT_FORMATS },
  next: SESSION_ACTIONS,
  sessionAfter: ["show", "delete", "export"],
};
