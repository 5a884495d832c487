import { OUTPUT_MODES, type TextName } from "../shell/options.ts";

/** `none` means no colour at all. */
export const THEMES = ["auto", "dark", "light", "none"] as const;

/** The variables that take the place of a flag. An empty variable is the same as none. */
export const VARIABLES = {
  DRAGOMAN_AGENT: "agent",
  DRAGOMAN_MODEL: "model",
  DRAGOMAN_MODE: "mode",
  DRAGOMAN_OUTPUT: "outputmode",
  DRAGOMAN_PERMISSIONS: "permissions",
} as const satisfies Readonly<Record<string, TextName>>;

/** A key of `dragoman config`. */
export interface SettingKey {
  /** Its name; NAME stands for an agent and OPTION for one of the agent's options. */
  readonly name: string;
  /** The possible values, for people. */
  readonly values: string;
  readonly about: string;
  /** The value without any setting, for people. */
  readonly byDefault: string;
  /** The variable that overrides it. */
  readonly variable?: keyof typeof VARIABLES;
}

/** All keys, in the order in which they are listed. docs/cli.md has the same table. */
export const SETTING_KEYS: readonly SettingKey[] = [
  {
    name: "default_agent",
    values: "an agent",
    about: "the agent of runs that name none",
    byDefault: "the first in agent_servers, or one that is installed",
    variable: "DRAGOMAN_AGENT",
  },
  {
    name: "output",
    values: OUTPUT_MODES.join(", "),
    about: "the output mode, as for -o",
    byDefault: "text",
    variable: "DRAGOMAN_OUTPUT",
  },
  {
    name: "permissions",
    values: "a file",
    about: "the rules for permissions, as for --permissions",
    byDefault: "none",
    variable: "DRAGOMAN_PERMISSIONS",
  },
  {
    name: "theme",
    values: THEMES.join(", "),
    about: "the colours; none turns them off",
    byDefault: "auto",
  },
  {
    name: "pager",
    values: "a command, or empty for none",
    about: "the command that shows long text",
    byDefault: "$PAGER",
  },
  {
    name: "notifications",
    values: "true, false",
    about: "whether to notify you when a turn of more than 30 s ends",
    byDefault: "false",
  },
  {
    name: "markdown",
    values: "true, false",
    about: "whether to render Markdown on a terminal",
    byDefault: "true",
  },
  {
    name: "warm",
    values: "a time such as 10m, or 0",
    about: "how long an agent stays ready after a run",
    byDefault: "0",
  },
  {
    name: "agents.NAME.mode",
    values: "a mode",
    about: "the mode of new sessions with this agent",
    byDefault: "the agent's",
    variable: "DRAGOMAN_MODE",
  },
  {
    name: "agents.NAME.model",
    values: "a model",
    about: "the model of new sessions with this agent",
    byDefault: "the agent's",
    variable: "DRAGOMAN_MODEL",
  },
  {
    name: "agents.NAME.options.OPTION",
    values: "a value",
    about: "an option of new sessions, as for --set",
    byDefault: "the agent's",
  },
  {
    name: "agents.NAME.flags",
    values: "flags",
    about: "flags for every run with this agent, about permissions, limits or its start",
    byDefault: "none",
  },
];
