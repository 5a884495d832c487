import { splitCommandLine } from "../../../base/index.ts";
import { resolve } from "node:path";
import { timeText } from "../shell/values.ts";
import { nearest } from "../shell/suggest.ts";
import { usageError } from "../shell/exit.ts";
import type { Io } from "../shell/io.ts";
import { SETTING_KEYS, THEMES, type SettingKey } from "./key-table.ts";
import type { Preferences } from "./preferences.ts";

/** A key as the user wrote it. */
export interface NamedKey {
  readonly spec: SettingKey;
  /** Where its value is in a settings file. */
  readonly path: readonly string[];
}

/** The key with this name. Throws a usage error if there is none. */
export function keyNamed(name: string): NamedKey {
  const [, agent = "", option] =
    /^agents\.(.+?)\.options\.(.+)$/.exec(name) ??
    /^agents\.(.+)\.(?:mode|model|flags)$/.exec(name) ??
    [];
  const general =
    agent === ""
      ? name
      : option === undefined
        ? `agents.NAME.${name.split(".").at(-1)}`
        : "agents.NAME.options.OPTION";
  const spec = SETTING_KEYS.find((key) => key.name === general);
  if (spec === undefined) {
    const names = SETTING_KEYS.map((key) => key.name);
    throw usageError(`unknown setting "${name}"`, nearest(name, names) ?? names.join(", "));
  }
  if (agent === "") return { spec, path: [name] };
  const rest = option === undefined ? [general.split(".").at(-1) ?? ""] : ["options", option];
  return { spec, path: ["agents", agent, ...rest] };
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
  const [first = "", agent, field, option] = path;
  if (agent === undefined) {
    const { defaultAgent, warm, agents: _, ...rest } = preferences;
    const time = warm === undefined ? undefined : timeText(warm);
    const values = { default_agent: defaultAgent, ...rest, warm: time };
    return Object.entries(values).find(([name]) => name === first)?.[1];
  }
  const defaults = preferences.agents.get(agent);
  switch (field) {
    case "mode":
    case "model":
      return defaults?.[field];
    case "flags":
      return defaults?.flags.length === 0 ? undefined : defaults?.flags;
    default:
      return option === undefined ? undefined : defaults?.options[option];
  }
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
