import { isStringList, joinCommandLine } from "../../../../base/index.ts";
import { defaultAgent } from "../../agents/select.ts";
import { CONFIG_ACTIONS } from "./declaration.ts";
import type { ParsedCommandLine } from "../../shell/parse.ts";
import { EXIT, usageError, type ExitCode } from "../../shell/exit.ts";
import type { Io } from "../../shell/io.ts";
import { eventLine } from "../../render/json/events.ts";
import { plainResult } from "../../render/renderer.ts";
import { sanitiseLine } from "../../render/terminal/sanitise.ts";
import { type Columns, listText } from "../../render/text/list.ts";
import { openContext, type Context } from "../../context/context.ts";
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

/** `dragoman config [get|set|unset|list|path]`: shows and changes the user's settings. */
export async function run({ values, words }: ParsedCommandLine, io: Io): Promise<ExitCode> {
  const [action, name, ...rest] = words;
  const known = CONFIG_ACTIONS.find((candidate) => candidate === action);
  if (action !== undefined && known === undefined) {
    throw usageError(
      `unknown action "${action}" for config`,
      `${CONFIG_ACTIONS.join(", ")}; or dragoman -- config ... to send a prompt`,
    );
  }
  expectWords(known, name, rest);
  // Even if the settings are broken, their path can be printed.
  if (known === "path") {
    const path = settingsToEdit(io, values);
    io.stdout.stream.write(`${io.stdout.isTty ? sanitiseLine(path) : path}\n`);
    return EXIT.done;
  }
  const context = await openContext(io, values);
  try {
    await act(context, known, name ?? "", rest);
    context.renderer.result(plainResult(io.now() - context.startedAt, undefined));
    await context.screen.drained();
    return EXIT.done;
  } finally {
    context.dispose();
  }
}

type ConfigAction = (typeof CONFIG_ACTIONS)[number];

function expectWords(
  action: ConfigAction | undefined,
  name: string | undefined,
  rest: readonly string[],
): void {
  const takesKey = action === "get" || action === "set" || action === "unset";
  if (takesKey && name === undefined)
    throw usageError(`config ${action} needs a key`, "dragoman config lists them");
  if (action === "set" && rest.length === 0)
    throw usageError("config set needs a value", `dragoman config set ${name} VALUE`);
  const extra = takesKey ? (action === "set" ? [] : rest) : name === undefined ? [] : [name];
  if (extra.length > 0) throw usageError(`config ${action} takes no "${extra.join(" ")}"`);
}

async function act(
  context: Context,
  action: Exclude<ConfigAction, "path"> | undefined,
  name: string,
  rest: readonly string[],
): Promise<void> {
  switch (action) {
    case undefined:
      return explain(context);
    case "list":
      for (const shown of ownValues(context)) print(context, shown, `${shown.key}=`);
      return;
    case "get":
      return get(context, keyNamed(name), name);
    case "set":
      return set(context, keyNamed(name), name, rest);
    case "unset": {
      const key = keyNamed(name);
      const had = valueIn(context.preferences, key) !== undefined;
      if (!had) return context.renderer.note(`${name} is not set`);
      const file = await editSettings(context, key.path, undefined);
      return context.renderer.note(`removed ${name} from ${file}`);
    }
  }
}

/** Every value that applies, and where it comes from. */
async function explain(context: Context): Promise<void> {
  const keys = SETTING_KEYS.map(({ name }) => name).filter((name) => !name.includes("NAME"));
  const shown: Shown[] = [];
  for (const name of [...keys, ...agentKeys(context.preferences)])
    shown.push(await effective(context, keyNamed(name), name));
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
  const { stdout } = context.io;
  const columns: Columns<Shown> = {
    SETTING: "key",
    VALUE: ({ value }) => textOf(value),
    FROM: "from",
  };
  context.screen.answer(listText(shown, columns, stdout.isTty ? stdout.columns() : undefined));
}

async function get(context: Context, key: NamedKey, name: string): Promise<void> {
  const shown = await effective(context, key, name);
  if (shown.value === undefined) return context.renderer.note(`${name} is not set`);
  print(context, shown);
}

/** The value of a key for a run without flags: a variable, a setting or the default. */
async function effective(context: Context, key: NamedKey, name: string): Promise<Shown> {
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

async function set(
  context: Context,
  key: NamedKey,
  name: string,
  words: readonly string[],
): Promise<void> {
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

/** Prints a value alone, so that scripts can use it, or as an event. */
function print({ screen, mode }: Context, shown: Shown, before = ""): void {
  if (mode === "events" || mode === "jsonl") screen.json(eventLine("setting", shown));
  else screen.answer(`${before}${sanitiseLine(textOf(shown.value))}\n`);
}

function textOf(value: unknown): string {
  if (value === undefined || typeof value === "string") return value ?? "";
  return isStringList(value) ? joinCommandLine(value) : JSON.stringify(value);
}
