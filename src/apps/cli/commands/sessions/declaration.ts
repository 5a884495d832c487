import { CONNECTION, type OptionTable } from "../../shell/options.ts";
import type { ActionTable, CommandSpec } from "../../shell/parse.ts";

const ONE_SESSION = {
  usage: "ID",
  needs: "the id of one session",
  hint: "dragoman sessions list",
} as const;

export const SESSION_ACTIONS = {
  list: {
    help: "list the agent's sessions in this folder (--all: in every folder)",
    options: ["all"],
  },
  show: { ...ONE_SESSION, help: "print the conversation" },
  export: {
    ...ONE_SESSION,
    help: "print it as Markdown, HTML or JSON (--format), or as events (-o events)",
    options: ["format"],
  },
  delete: { ...ONE_SESSION, help: "delete the session" },
  prune: {
    help: "delete old sessions (--older-than), after asking",
    options: ["all", "older-than", "dry-run", "yes"],
  },
} as const satisfies ActionTable;

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
  actions: SESSION_ACTIONS,
  details: [
    "ID is a session's id, the start of an id that no other session has, or a name that was",
    "given with --session.",
  ],
  takes: [...CONNECTION, "yes"],
  own: SESSIONS_OPTIONS,
  ownWords: { format: EXPORT_FORMATS },
  sessionAfter: ["show", "delete", "export"],
};
