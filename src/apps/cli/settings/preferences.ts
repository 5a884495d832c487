import type { JsonObject } from "../../../base/index.ts";
import { OUTPUT_MODES } from "../shell/options.ts";
import { milliseconds } from "../shell/values.ts";
import type { Field } from "./field.ts";
import { THEMES } from "./key-table.ts";

type OutputWord = (typeof OUTPUT_MODES)[number];
export type Theme = (typeof THEMES)[number];

/** The settings of one agent, for every run with it. Flags and variables override them. */
export interface AgentDefaults {
  /** The mode of new sessions. */
  readonly mode?: string | undefined;
  /** The model of new sessions. */
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
  readonly output?: OutputWord | undefined;
  /** A file with permission rules, relative to the folder of the settings. */
  readonly permissions?: string | undefined;
  readonly theme?: Theme | undefined;
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
export const PREFERENCE_FIELDS = [
  "default_agent",
  "agents",
  "output",
  "permissions",
  "theme",
  "pager",
  "notifications",
  "markdown",
  "warm",
] as const;

/** Reads the preferences of a settings file. Throws a usage error that names the field. */
export function preferencesOf(root: JsonObject, at: Field): Preferences {
  const read = <T>(name: (typeof PREFERENCE_FIELDS)[number], parse: (v: unknown, f: Field) => T) =>
    root[name] === undefined ? undefined : parse(root[name], at.in(name));
  return {
    defaultAgent: read("default_agent", (value, field) => field.text(value)),
    agents: read("agents", agentDefaults) ?? new Map(),
    output: read("output", (value, field) => field.oneOf(value, OUTPUT_MODES)),
    permissions: read("permissions", (value, field) => field.text(value)),
    theme: read("theme", themeOf),
    pager: read("pager", (value, field) => field.line(value)),
    notifications: read("notifications", (value, field) => field.yesOrNo(value)),
    markdown: read("markdown", (value, field) => field.yesOrNo(value)),
    warm: read("warm", warmTime),
  };
}

/** The fields that preferences were read from. */
export function preferenceNames(preferences: Preferences): readonly string[] {
  const { defaultAgent, agents, ...rest } = preferences;
  const values = { default_agent: defaultAgent, agents: agents.size || undefined, ...rest };
  return Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [name]));
}

const DEFAULTS_FIELDS = ["mode", "model", "options", "flags"];

function agentDefaults(value: unknown, at: Field): ReadonlyMap<string, AgentDefaults> {
  return new Map(
    Object.entries(at.object(value)).map(([name, item]) => {
      const field = at.in(name);
      const entry = field.object(item);
      field.expect(entry, DEFAULTS_FIELDS);
      const text = (key: string) =>
        entry[key] === undefined ? undefined : field.in(key).text(entry[key]);
      return [
        name,
        {
          mode: text("mode"),
          model: text("model"),
          options: field.in("options").map(entry["options"]),
          flags: field.in("flags").texts(entry["flags"]),
        },
      ];
    }),
  );
}

/** Editors have a `theme` of their own, so other values in a shared file are not an error. */
function themeOf(value: unknown, at: Field): Theme | undefined {
  const theme = THEMES.find((candidate) => candidate === value);
  if (theme === undefined) at.ignore();
  return theme;
}

/** How long an agent stays warm, in milliseconds. Throws a usage error that names the field. */
export function warmTime(value: unknown, at: Field): number {
  if (value === 0 || value === "0" || value === false) return 0;
  const ms = milliseconds(typeof value === "number" ? String(value) : at.text(value));
  return ms ?? at.fail("must be a duration such as 90s or 10m, or 0");
}
