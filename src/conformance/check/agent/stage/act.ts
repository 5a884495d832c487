import { asObject, isJsonObject, type JsonObject } from "../../../../base/index.ts";
import {
  type PlannedStep,
  type ReceivedTool,
  type ScriptedTools,
  type ScriptEntry,
  smallestOf,
  type Step,
  text,
  toolCall,
} from "../../../scripted-model/index.ts";

/** The things that a prompt can make an agent without a model do. */
const PROMPT_NAMES = ["write", "read", "run", "ask", "slow"] as const;

export type PromptName = (typeof PROMPT_NAMES)[number];

/** Prompts that make an agent act, with `{file}`, `{text}` and `{command}` in them. */
export type Prompts = Readonly<Partial<Record<PromptName, string>>>;

class PromptsError extends Error {
  override readonly name = "PromptsError";
}

/** The places that a prompt must have. */
const PLACES: Readonly<Record<PromptName, readonly string[]>> = {
  write: ["{file}", "{text}"],
  read: ["{file}"],
  run: ["{command}"],
  ask: [],
  slow: [],
};

/** Reads the contents of a file of `--prompts`. Throws a PromptsError that names the entry. */
export function parsePrompts(value: unknown): Prompts {
  if (!isJsonObject(value)) throw new PromptsError("the prompts are not a JSON object");
  const prompts: { [Name in PromptName]?: string } = {};
  for (const [name, prompt] of Object.entries(value)) {
    const known = PROMPT_NAMES.find((one) => one === name);
    if (known === undefined)
      throw new PromptsError(`unknown prompt "${name}"; known are ${PROMPT_NAMES.join(", ")}`);
    if (typeof prompt !== "string" || prompt.trim() === "")
      throw new PromptsError(`the prompt "${name}" must be a text`);
    const missing = PLACES[known].find((place) => !prompt.includes(place));
    if (missing !== undefined)
      throw new PromptsError(`the prompt "${name}" must contain ${missing}`);
    prompts[known] = prompt;
  }
  return prompts;
}

export function fillPrompt(prompt: string, values: Readonly<Record<string, string>>): string {
  return prompt.replaceAll(
    /\{(file|text|command)\}/g,
    (place, name: string) => values[name] ?? place,
  );
}

/** Something that an agent does in a turn. */
export type Act =
  | { readonly tool: "read"; readonly path: string }
  | { readonly tool: "write"; readonly path: string; readonly content: string }
  | { readonly tool: "shell"; readonly command: string }
  | { readonly tool: "plan"; readonly entries: readonly PlannedStep[] };

/** How people call the tool of an act. */
const TOOL_WORDS: Readonly<Record<Act["tool"], string>> = {
  read: "to read files",
  write: "to write files",
  shell: "to run commands",
  plan: "to plan",
};

export function missingTool(tool: Act["tool"]): string {
  return `the agent offers its model no known tool ${TOOL_WORDS[tool]}`;
}

/**
 * The steps of the model that make the agent do something. The tools of an agent without a recipe are
 * picked from those that it offers when it calls the model; `onMissing` is called if there is none.
 */
export function stepsFor(
  act: Act,
  known: ScriptedTools | undefined,
  onMissing: () => void,
): readonly ScriptEntry[] {
  if (known) return stepsWith(act, known) ?? [];
  const pick = ({ tools }: { readonly tools: readonly ReceivedTool[] }): Step => {
    const [step] = stepsWith(act, toolsForActs(tools)) ?? [];
    if (step === undefined) onMissing();
    return step ?? text("There is no such tool.");
  };
  return [pick];
}

function stepsWith(act: Act, tools: FoundTools): readonly Step[] | undefined {
  switch (act.tool) {
    case "read":
      return one(tools.read?.(act.path));
    case "write":
      return one(tools.write?.(act.path, act.content));
    case "shell":
      return one(tools.shell?.(act.command));
    case "plan":
      return tools.plan?.(act.entries);
  }
}

function one(step: Step | undefined): readonly Step[] | undefined {
  return step && [step];
}

/** The prompt that makes an agent without a model do something; undefined if the user gave none. */
export function promptFor(act: Act, prompts: Prompts): string | undefined {
  const fill = (prompt: string | undefined, values: Readonly<Record<string, string>>) =>
    prompt === undefined ? undefined : fillPrompt(prompt, values);
  switch (act.tool) {
    case "read":
      return fill(prompts.read, { file: act.path });
    case "write":
      return fill(prompts.write, { file: act.path, text: act.content });
    case "shell":
      return fill(prompts.run, { command: act.command });
    case "plan":
      return undefined;
  }
}

/** The tools of an agent that a script can use. One that was not found is undefined. */
export type FoundTools = {
  readonly [Name in keyof ScriptedTools]: ScriptedTools[Name] | undefined;
};

const PATH = /^(?:absolute_?|target_?|full_?)?(?:file_?)?(?:path|name)$|^file$|^filename$/i;
const CONTENT = /^(?:file_?)?(?:content|contents|text|data|body)$/i;
const COMMAND = /^(?:command|cmd|script|command_?line|shell_?command)$/i;
const BEFORE = /^(?:old|search|find|before)(?:_?(?:str|string|text))?$/i;
const AFTER = /^(?:new|replace|replacement|after)(?:_?(?:str|string|text))?$/i;
const ENTRY = /^(?:content|title|text|task|description|step|subject)$/i;

/**
 * Picks the tools for reading, writing, editing, running a command and planning, by name and schema,
 * from those that an agent offers its model. Pure.
 */
export function toolsForActs(offered: readonly ReceivedTool[]): FoundTools {
  const find = (name: RegExp, ...parts: readonly RegExp[]): Picked | undefined =>
    firstMatch(offered, name, parts);
  const read = find(/read|view|cat/i, PATH);
  const write = find(/write|create|save/i, PATH, CONTENT);
  const edit = find(/edit|replace|patch|update/i, PATH, BEFORE, AFTER);
  const shell = find(/bash|shell|exec|run|command|terminal/i, COMMAND);
  return {
    read: read && ((path) => read.call(path)),
    write: write && ((path, content) => write.call(path, content)),
    edit: edit && ((path, before, after) => edit.call(path, before, after)),
    shell: shell && ((command) => shell.call(command)),
    plan: planTool(offered),
  };
}

interface Picked {
  /** The call of the tool with values for the properties that were looked for, in their order. */
  call(...values: readonly string[]): Step;
}

function firstMatch(
  offered: readonly ReceivedTool[],
  name: RegExp,
  parts: readonly RegExp[],
): Picked | undefined {
  for (const tool of offered) {
    if (!name.test(tool.name)) continue;
    const properties = propertiesOf(tool);
    const names = parts.map((part) => Object.keys(properties).find((key) => part.test(key)));
    if (names.includes(undefined)) continue;
    return {
      call: (...values) => {
        const given = names.map((key = "", at) => [
          key,
          fitting(properties[key], values[at] ?? ""),
        ]);
        return toolCall(tool.name, { ...required(tool), ...Object.fromEntries(given) });
      },
    };
  }
  return undefined;
}

/** A tool that takes a list of entries with a text and a status. */
function planTool(offered: readonly ReceivedTool[]): ScriptedTools["plan"] | undefined {
  for (const tool of offered) {
    if (!/todo|plan/i.test(tool.name)) continue;
    for (const [list, schema] of Object.entries(propertiesOf(tool))) {
      const item = asObject(asObject(schema)["items"]);
      const fields = asObject(item["properties"]);
      const text = Object.keys(fields).find((key) => ENTRY.test(key));
      const status = Object.keys(fields).find((key) => /^status$|^state$/i.test(key));
      if (text === undefined || status === undefined) continue;
      const entry = ({ content, status: wanted }: PlannedStep): JsonObject => ({
        ...asObject(smallestOf(item)),
        [text]: content,
        [status]: closest(asObject(fields[status])["enum"], wanted),
      });
      return (entries) => [
        toolCall(tool.name, { ...required(tool), [list]: entries.map((one) => entry(one)) }),
      ];
    }
  }
  return undefined;
}

/** The value of a status that means the same: some agents say `done` for `completed`. */
function closest(allowed: unknown, wanted: PlannedStep["status"]): string {
  const values = Array.isArray(allowed) ? allowed.map(String) : [];
  if (values.length === 0 || values.includes(wanted)) return wanted;
  const at = { pending: 0, in_progress: 1, completed: values.length - 1 }[wanted];
  return values[at] ?? wanted;
}

/** A command may be a list of words. */
function fitting(schema: unknown, value: string): unknown {
  return asObject(schema)["type"] === "array" ? ["sh", "-c", value] : value;
}

function required(tool: ReceivedTool): JsonObject {
  return asObject(smallestOf(asObject(tool.schema)));
}

function propertiesOf(tool: ReceivedTool): JsonObject {
  return asObject(asObject(tool.schema)["properties"]);
}
