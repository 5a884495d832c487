import type { SessionConfigOption } from "../../../../protocol/acp/index.ts";
import { isJsonObject } from "../../../../base/index.ts";
import type {
  AgentFacts,
  CapsFacts,
  CommandsFacts,
  ListedChoice,
  ModelsFacts,
  ModesFacts,
  OptionsFacts,
} from "../renderer.ts";
import { sanitiseLine } from "../terminal/sanitise.ts";

/** The text of `--list-caps`. */
export function capsText({ agent, capabilities, authMethods }: CapsFacts): string {
  const methods = authMethods.map(({ id, name }) => `  ${id}: ${name}`);
  return [
    `Capabilities of ${nameOf(agent)}`,
    `  protocol version: ${agent.protocolVersion}`,
    ...flat(capabilities).map((line) => `  ${line}`),
    methods.length === 0 ? "  auth methods: none" : "  auth methods:",
    ...methods.map((line) => `  ${line}`),
  ]
    .map((line) => line.replace(/\n/g, " "))
    .join("\n");
}

/** The text of `--list-modes`. */
export function modesText({ agent, modes, current }: ModesFacts): string {
  return listText(`Modes of ${nameOf(agent)}`, choiceLines(modes, current));
}

/** The text of `--list-models`. */
export function modelsText({ agent, models, current }: ModelsFacts): string {
  return listText(`Models of ${nameOf(agent)}`, choiceLines(models, current));
}

/** The text of `--list-options`: each option with its values. */
export function optionsText({ agent, options }: OptionsFacts): string {
  const lines = options.flatMap((option) => [
    ...choiceLines([option], undefined),
    ...choiceLines(listedChoices(option), String(option.currentValue)).map((line) => `  ${line}`),
  ]);
  return listText(`Options of ${nameOf(agent)}`, lines);
}

/** The values of a config option, with groups flattened. */
export function listedChoices(option: SessionConfigOption): readonly ListedChoice[] {
  if (option.type !== "select") return ["true", "false"].map((value) => ({ id: value, name: "" }));
  const entries = option.options.flatMap((entry) => ("options" in entry ? entry.options : [entry]));
  return entries.map(({ value, name, description }) => ({
    id: value,
    name,
    ...(description ? { description } : {}),
  }));
}

/** One line per choice, the current one marked. */
function choiceLines(choices: readonly ListedChoice[], current: string | undefined): string[] {
  return choices.map(({ id, name, description }) => {
    const title = name === "" ? "" : ` (${sanitiseLine(name)})`;
    const about = description ? `: ${sanitiseLine(description)}` : "";
    return `${id === current ? "*" : " "} ${sanitiseLine(id)}${title}${about}`;
  });
}

function listText(head: string, lines: readonly string[]): string {
  return [head, ...(lines.length === 0 ? ["  none"] : lines)].join("\n");
}

/** The text of `--list-commands`. */
export function commandsText({ agent, commands, received }: CommandsFacts): string {
  const lines = commands.map(({ name, description, input }) => {
    const hint = input?.hint ? ` <${sanitiseLine(input.hint)}>` : "";
    return `  /${sanitiseLine(name)}${hint}: ${sanitiseLine(description)}`;
  });
  const none = received ? "  none" : "  the agent sent none";
  return [`Commands of ${nameOf(agent)}`, ...(lines.length === 0 ? [none] : lines)].join("\n");
}

function nameOf({ name, title, version }: AgentFacts): string {
  const own = [title, version].filter((part) => part !== undefined).join(" ");
  return own === "" || own === name ? name : `${name} (${sanitiseLine(own)})`;
}

/** Capabilities as `a.b: yes` lines. Skips `_meta`, whose content only the agent understands. */
function flat(value: unknown, path = ""): string[] {
  if (!isJsonObject(value)) return path === "" ? [] : [`${sanitiseLine(path)}: ${word(value)}`];
  const entries = Object.entries(value).filter(([key]) => key !== "_meta");
  if (entries.length === 0) return path === "" ? [] : [`${sanitiseLine(path)}: yes`];
  return entries.flatMap(([key, item]) => flat(item, path === "" ? key : `${path}.${key}`));
}

function word(value: unknown): string {
  if (value === true) return "yes";
  if (value === false || value === null) return "no";
  return sanitiseLine(JSON.stringify(value));
}
