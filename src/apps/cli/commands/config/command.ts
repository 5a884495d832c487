import { isStringList, joinCommandLine, sanitizeLine } from "../../../../base/index.ts";
import { defaultAgent } from "../../agents/select.ts";
import { CONFIG_ACTIONS } from "./declaration.ts";
import { type ParsedCommandLine, readAction } from "../../shell/parse.ts";
import { EXIT, usageError, type ExitCode } from "../../shell/exit.ts";
import type { Io } from "../../shell/io.ts";
import { eventLine } from "../../render/json/events.ts";
import { runAction } from "../../connect/run-command.ts";
import { type Columns, listText } from "../../render/text/table.ts";
import { type Context, stdoutView } from "../../context/context.ts";
import { applyAgentDefaults } from "../../settings/apply.ts";
import { editSettings, settingsToEdit } from "../../settings/edit.ts";
import {
  SETTING_KEYS,
  agentKeys,
  keyNamed,
  type NamedKey,
  valueFrom,
  valueIn,
} from "../../settings/keys.ts";
import { loadSettings } from "../../settings/load.ts";

/** A setting with its value, as it applies to a run without flags. */
interface Shown {
  readonly key: string;
  readonly value: unknown;
  readonly from: string;
}

/** `dragoman config`: shows and changes the user's settings. */
export async function run(parsed: ParsedCommandLine, io: Io): Promise<ExitCode> {
  // Even if the settings are broken, their path can be printed.
  if (readAction(parsed, CONFIG_ACTIONS).action === "path") {
    const path = settingsToEdit(io, parsed.values);
    io.stdout.stream.write(`${io.stdout.isTty ? sanitizeLine(path) : path}\n`);
    return EXIT.done;
  }
  return runAction(parsed, io, CONFIG_ACTIONS, {
    "": explain,
    get,
    set: (context, name, [, ...words]) => set(context, name, words),
    unset,
    list: (context) => {
      for (const shown of ownValues(context)) print(context, shown, `${shown.key}=`);
    },
    path: () => {},
  });
}

async function unset(context: Context, name: string): Promise<void> {
  const key = keyNamed(name);
  const had = valueIn(context.preferences, key) !== undefined;
  if (!had) return context.renderer.note(`${name} is not set`);
  const file = await editSettings(context, key.path, undefined);
  context.renderer.note(`removed ${name} from ${file}`);
}

async function explain(context: Context): Promise<void> {
  const keys = SETTING_KEYS.map(({ name }) => name).filter((name) => !name.includes("NAME"));
  const shown: Shown[] = [];
  for (const name of [...keys, ...agentKeys(context.preferences)])
    shown.push(await effective(context, name));
  for (const { name, variable } of SETTING_KEYS) {
    const value = variable === undefined ? undefined : context.io.env[variable];
    // These two apply to every agent, also to those without settings.
    if (name.includes("NAME") && value !== undefined && value !== "")
      shown.push({ key: name.replace("NAME", "*"), value, from: variable ?? "" });
  }
  if (context.mode === "events" || context.mode === "jsonl") {
    for (const one of shown) print(context, one);
    return;
  }
  const columns: Columns<Shown> = {
    SETTING: "key",
    VALUE: ({ value }) => textOf(value),
    FROM: "from",
  };
  context.screen.answer(listText(shown, columns, stdoutView(context).columns));
}

async function get(context: Context, name: string): Promise<void> {
  const shown = await effective(context, name);
  if (shown.value === undefined) return context.renderer.note(`${name} is not set`);
  print(context, shown);
}

/** The value of a key for a run without flags: a variable, a setting or the default. */
async function effective(context: Context, name: string): Promise<Shown> {
  const key = keyNamed(name);
  const { io, own, preferences } = context;
  const { variable } = key.spec;
  const overriding = variable === undefined ? undefined : io.env[variable];
  if (variable !== undefined && overriding !== undefined && overriding !== "")
    return { key: name, value: overriding, from: variable };
  const value = valueIn(preferences, key);
  if (value !== undefined) return { key: name, value, from: own?.file ?? "settings" };
  return { key: name, ...(await byDefault(context, key)) };
}

async function byDefault(
  context: Context,
  { spec }: NamedKey,
): Promise<{ readonly value: unknown; readonly from: string }> {
  const { io, own, cwd } = context;
  switch (spec.name) {
    case "default_agent": {
      const settings = await loadSettings(io, { own, cwd, trustProject: false, ask: undefined });
      const { name, why } = await defaultAgent(io, {}, settings);
      return { value: name, from: why };
    }
    case "pager": {
      const pager = io.env["PAGER"];
      return pager === undefined ? NOT_SET : { value: pager, from: "PAGER" };
    }
    case "notifications":
    case "markdown":
      return { value: spec.byDefault === "true", from: "default" };
    case "output":
    case "theme":
    case "warm":
      return { value: spec.byDefault, from: "default" };
    default:
      return NOT_SET;
  }
}

const NOT_SET = { value: undefined, from: "not set" };

function ownValues({ preferences, own }: Context): readonly Shown[] {
  const names = SETTING_KEYS.map(({ name }) => name).filter((name) => !name.includes("NAME"));
  return [...names, ...agentKeys(preferences)].flatMap((key) => {
    const value = valueIn(preferences, keyNamed(key));
    return value === undefined ? [] : [{ key, value, from: own?.file ?? "settings" }];
  });
}

async function set(context: Context, name: string, words: readonly string[]): Promise<void> {
  const key = keyNamed(name);
  if (words.length === 0)
    throw usageError("config set needs a key and a value", `dragoman config set KEY VALUE`);
  const { io, own, cwd, renderer } = context;
  const value = valueFrom(key, words, io);
  const settings = await loadSettings(io, { own, cwd, trustProject: false, ask: undefined });
  if (key.spec.name === "default_agent")
    await defaultAgent(io, { defaultAgent: String(value) }, settings);
  if (key.spec.name === "agents.NAME.flags" && isStringList(value)) {
    const agent = key.path[1] ?? "";
    applyAgentDefaults(context.values.copy(), agent, { options: {}, flags: value }, "config set");
  }
  const file = await editSettings(context, key.path, value);
  renderer.note(`${name} is now ${textOf(value) || '""'} (${file})`);
}

function print({ screen, mode }: Context, shown: Shown, before = ""): void {
  if (mode === "events" || mode === "jsonl") screen.json(eventLine("setting", shown));
  else screen.answer(`${before}${sanitizeLine(textOf(shown.value))}\n`);
}

function textOf(value: unknown): string {
  if (value === undefined || typeof value === "string") return value ?? "";
  return isStringList(value) ? joinCommandLine(value) : JSON.stringify(value);
}
