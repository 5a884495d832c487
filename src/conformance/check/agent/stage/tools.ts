import { asObject, type JsonObject } from "../../../../base/index.ts";
import {
  smallestOf,
  toolCall,
  type PlannedStep,
  type ReceivedTool,
  type ScriptedTools,
  type Step,
} from "../../../model/index.ts";

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
export function pickTools(offered: readonly ReceivedTool[]): FoundTools {
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
