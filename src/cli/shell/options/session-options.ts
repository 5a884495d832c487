import { TURN, type OptionSpec } from "./commands.ts";

/** The formats of `sessions export`. */
export const EXPORT_FORMATS = ["md", "html", "json"] as const;

/** The options of the group "Session". */
export const SESSION_OPTIONS = [
  {
    name: "resume",
    value: "ID",
    optional: true,
    group: "Session",
    on: TURN,
    help: "resume a session: its id, the start of its id, its name, or nothing to choose one",
  },
  {
    name: "session",
    value: "NAME",
    group: "Session",
    on: TURN,
    help: "resume the session with this name in this folder, or start it",
  },
  {
    name: "continue",
    short: "c",
    group: "Session",
    on: TURN,
    help: "resume the last session of this agent in this folder",
  },
  {
    name: "save-session",
    value: "FILE",
    group: "Session",
    on: TURN,
    help: "write the session's id to a file",
  },
  { name: "mode", value: "MODE", group: "Session", on: TURN, help: "set the session's mode" },
  {
    name: "model",
    value: "MODEL",
    group: "Session",
    on: [...TURN, "doctor", "check"],
    help: "set the session's model (check: scripted, the default, or none)",
  },
  {
    name: "set",
    value: "KEY=VALUE",
    multiple: true,
    group: "Session",
    on: TURN,
    help: "set one of the session's config options",
  },
  {
    name: "add-dir",
    value: "DIR",
    multiple: true,
    group: "Session",
    on: TURN,
    help: "one more folder that the agent may work in, if the agent supports that",
  },
  {
    name: "system-prompt",
    value: "TEXT",
    group: "Session",
    on: TURN,
    help: "add to the agent's own instructions, if it supports that (@FILE reads a file)",
  },
  { name: "observe", group: "Session", on: ["attach"], help: "only watch the session" },
  {
    name: "all",
    group: "Session",
    on: ["sessions"],
    help: "the sessions of all folders, not just this one",
  },
  {
    name: "format",
    value: "FORMAT",
    words: EXPORT_FORMATS,
    group: "Session",
    on: ["sessions"],
    help: "format of export: md (default), html or json",
  },
  {
    name: "older-than",
    value: "AGE",
    group: "Session",
    on: ["sessions"],
    help: "prune sessions that have not changed for this long, such as 12h, 30d or 8w (default: 30d)",
  },
  {
    name: "dry-run",
    group: "Session",
    on: ["sessions"],
    help: "only print what prune would delete",
  },
] as const satisfies readonly OptionSpec[];
