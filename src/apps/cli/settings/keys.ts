import { resolve } from "node:path";
import {
  definedFields,
  isJsonObject,
  type JsonObject,
  splitCommandLine,
  nearest,
} from "../../../base/index.ts";
import { usageError } from "../shell/exit.ts";
import type { Io } from "../shell/io.ts";
import { OUTPUT_MODES, type TextName } from "../shell/options.ts";
import { milliseconds, timeOptionText } from "../shell/option-values.ts";
import type { Field } from "./field.ts";

/** `none` means no color at all. */
const THEMES = ["auto", "dark", "light", "none"] as const;

/** The variables that take the place of a flag. An empty variable is the same as none. */
export const VARIABLES = {
  DRAGOMAN_AGENT: "agent",
  DRAGOMAN_MODEL: "model",
  DRAGOMAN_MODE: "mode",
  DRAGOMAN_OUTPUT: "outputmode",
  DRAGOMAN_PERMISSIONS: "permissions",
} as const satisfies Readonly<Record<string, TextName>>;

export interface SettingKey {
  /** Its name; NAME stands for an agent and OPTION for one of the agent's options. */
  readonly name: string;
  /** The possible values, for people. */
  readonly values: string;
  readonly about: string;
  /** The value without any setting, for people. */
  readonly byDefault: string;
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
    about: "the colors; none turns them off",
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

/** The settings of one agent, for every run with it. Flags and variables override them. */
export interface AgentDefaults {
  readonly mode?: string | undefined;
  readonly model?: string | undefined;
  /** Config options of new sessions, by id. */
  readonly options: Readonly<Record<string, string>>;
  /** Options of the command line, such as `["--write", "--timeout", "10m"]`. */
  readonly flags: readonly string[];
}

/** How the user wants Dragoman to behave. Undefined means that the file does not say. */
export interface Preferences {
  readonly defaultAgent?: string | undefined;
  readonly agents: ReadonlyMap<string, AgentDefaults>;
  readonly output?: (typeof OUTPUT_MODES)[number] | undefined;
  /** A file with permission rules, relative to the folder of the settings. */
  readonly permissions?: string | undefined;
  readonly theme?: (typeof THEMES)[number] | undefined;
  /** The command that shows long text. Overrides `PAGER`; empty for none. */
  readonly pager?: string | undefined;
  /** Whether to notify the user at the end of a long turn. Default: false. */
  readonly notifications?: boolean | undefined;
  /** Whether to render Markdown on a terminal. Default: true. */
  readonly markdown?: boolean | undefined;
  /** How long an agent stays warm after a run, in milliseconds; 0 for not at all. */
  readonly warm?: number | undefined;
}

export const NO_PREFERENCES: Preferences = { agents: new Map() };

/** The fields of a settings file that hold preferences. */
export const PREFERENCE_FIELDS: readonly string[] = [
  ...new Set(SETTING_KEYS.map(({ name }) => name.split(".")[0] ?? "")),
];

/** Reads the preferences of a settings file. Throws a usage error that names the field. */
export function preferencesOf(at: Field): Preferences {
  const read = <T>(name: string, parse: (field: Field) => T) => at.in(name).optional(parse);
  const agents = at.in("agents").entries();
  return {
    defaultAgent: read("default_agent", (field) => field.text()),
    agents: new Map(agents.map(([name, field]) => [name, agentDefaults(field)])),
    output: read("output", (field) => field.oneOf(OUTPUT_MODES)),
    permissions: read("permissions", (field) => field.text()),
    theme: read("theme", themeOf),
    pager: read("pager", (field) => field.line()),
    notifications: read("notifications", (field) => field.yesOrNo()),
    markdown: read("markdown", (field) => field.yesOrNo()),
    warm: read("warm", warmTime),
  };
}

function agentDefaults(at: Field): AgentDefaults {
  at.expect(["mode", "model", "options", "flags"]);
  return {
    mode: at.in("mode").optional((field) => field.text()),
    model: at.in("model").optional((field) => field.text()),
    options: at.in("options").map(),
    flags: at.in("flags").texts(),
  };
}

/** Editors have a `theme` of their own, so other values in a shared file are not an error. */
function themeOf(at: Field): Preferences["theme"] {
  const theme = THEMES.find((candidate) => candidate === at.value);
  if (theme === undefined) at.ignore();
  return theme;
}

/** How long an agent stays warm, in milliseconds. Throws a usage error that names the field. */
export function warmTime(at: Field): number {
  const { value } = at;
  if (value === 0 || value === "0" || value === false) return 0;
  const ms = milliseconds(typeof value === "number" ? String(value) : at.text());
  return ms ?? at.fail("must be a duration such as 90s or 10m, or 0");
}

/** Preferences as the fields of a settings file. */
function fieldsOf({ defaultAgent, agents, warm, ...rest }: Preferences): JsonObject {
  const defaults = [...agents].map(([name, { flags, ...others }]) => [
    name,
    { ...others, ...(flags.length === 0 ? {} : { flags }) },
  ]);
  return definedFields({
    default_agent: defaultAgent,
    agents: defaults.length === 0 ? undefined : Object.fromEntries(defaults),
    ...rest,
    warm: warm === undefined ? undefined : timeOptionText(warm),
  });
}

/** The fields of a settings file that preferences were read from. */
export function preferenceNames(preferences: Preferences): readonly string[] {
  return Object.keys(fieldsOf(preferences));
}

/** A key as the user wrote it. */
export interface NamedKey {
  readonly spec: SettingKey;
  /** Where its value is in a settings file. */
  readonly path: readonly string[];
}

export function keyNamed(name: string): NamedKey {
  const [, agent = "", option] =
    /^agents\.(.+?)\.options\.(.+)$/.exec(name) ??
    /^agents\.(.+)\.(?:mode|model|flags)$/.exec(name) ??
    [];
  const field = option === undefined ? (name.split(".").at(-1) ?? "") : "options";
  const general =
    agent === "" ? name : `agents.NAME.${field}${option === undefined ? "" : ".OPTION"}`;
  const spec = SETTING_KEYS.find((key) => key.name === general);
  if (spec === undefined) {
    const names = SETTING_KEYS.map((key) => key.name);
    throw usageError(`unknown setting "${name}"`, nearest(name, names) ?? names.join(", "));
  }
  const more = option === undefined ? [] : [option];
  return { spec, path: agent === "" ? [name] : ["agents", agent, field, ...more] };
}

/** The words of the command line as the value of a key. The file is checked as a whole afterwards. */
export function valueFrom(
  { spec }: NamedKey,
  words: readonly string[],
  io: Pick<Io, "cwd">,
): unknown {
  const text = words.join(" ");
  switch (spec.name) {
    case "agents.NAME.flags":
      return words.flatMap(splitCommandLine);
    case "notifications":
    case "markdown":
      return /^(true|yes|on)$/i.test(text) ? true : /^(false|no|off)$/i.test(text) ? false : text;
    case "permissions":
      // The file names it relative to its own folder, the user relative to the current one.
      return text.startsWith("~/") ? text : resolve(io.cwd, text);
    case "theme":
      if (THEMES.some((theme) => theme === text)) return text;
      throw usageError(`theme must be one of ${THEMES.join(", ")}`);
    default:
      return text;
  }
}

/** The value of a key in the settings; undefined if they do not have it. */
export function valueIn(preferences: Preferences, { path }: NamedKey): unknown {
  return path.reduce<unknown>(
    (value, key) => (isJsonObject(value) && Object.hasOwn(value, key) ? value[key] : undefined),
    fieldsOf(preferences),
  );
}

/** The keys of agents that the settings have values for. */
export function agentKeys({ agents }: Preferences): readonly string[] {
  return [...agents].flatMap(([name, { mode, model, options, flags }]) => [
    ...(mode === undefined ? [] : [`agents.${name}.mode`]),
    ...(model === undefined ? [] : [`agents.${name}.model`]),
    ...Object.keys(options).map((option) => `agents.${name}.options.${option}`),
    ...(flags.length === 0 ? [] : [`agents.${name}.flags`]),
  ]);
}
