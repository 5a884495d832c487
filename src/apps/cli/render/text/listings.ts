import type { AvailableCommand, SessionConfigOption } from "../../../../protocol/acp/index.ts";
import { isJsonObject, sanitizeLine } from "../../../../base/index.ts";
import type { AgentFacts, Listing } from "../renderer.ts";

/** A mode, a model, or another value of a config option. */
export interface ListedChoice {
  readonly id: string;
  readonly name: string;
  readonly description?: string | null | undefined;
}

/** The list of `--list-caps`: the capabilities as the agent sent them. */
export function capsList(
  agent: AgentFacts,
  capabilities: unknown,
  authMethods: readonly { readonly id: string; readonly name: string }[],
): Listing {
  const { protocolVersion } = agent;
  const methods = authMethods.map(({ id, name }) => `    ${id}: ${name}`);
  const lines = [
    `Capabilities of ${nameOf(agent)}`,
    `  protocol version: ${protocolVersion}`,
    ...flat(capabilities).map((line) => `  ${line}`),
    methods.length === 0 ? "  auth methods: none" : "  auth methods:",
    ...methods,
  ];
  return {
    type: "capabilities",
    fields: { protocolVersion, capabilities, authMethods },
    text: lines.map((line) => line.replace(/\n/g, " ")).join("\n"),
  };
}

/** The list of `--list-modes` or `--list-models`. */
export function choiceList(
  type: "modes" | "models",
  agent: AgentFacts,
  choices: readonly ListedChoice[],
  current: string | undefined,
): Listing {
  const head = `${type === "modes" ? "Modes" : "Models"} of ${nameOf(agent)}`;
  const text = listText(head, choiceLines(choices, current));
  return { type, fields: { current, [type]: choices }, text };
}

/** The list of `--list-options`: each option with its values. */
export function optionList(agent: AgentFacts, options: readonly SessionConfigOption[]): Listing {
  const lines = options.flatMap((option) => [
    ...choiceLines([option], undefined),
    ...choiceLines(listedChoices(option), String(option.currentValue)).map((line) => `  ${line}`),
  ]);
  return {
    type: "options",
    fields: { options },
    text: listText(`Options of ${nameOf(agent)}`, lines),
  };
}

/** The list of `--list-commands`. The commands are undefined if the agent sent none in time. */
export function commandList(
  agent: AgentFacts,
  commands: readonly AvailableCommand[] | undefined,
): Listing {
  const lines = (commands ?? []).map(({ name, description, input }) => {
    const hint = input?.hint ? ` <${sanitizeLine(input.hint)}>` : "";
    return `  /${sanitizeLine(name)}${hint}: ${sanitizeLine(description)}`;
  });
  const received = commands !== undefined;
  return {
    type: "commands",
    fields: { commands: commands ?? [], received },
    text: listText(
      `Commands of ${nameOf(agent)}`,
      lines,
      received ? "none" : "the agent sent none",
    ),
  };
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

function choiceLines(choices: readonly ListedChoice[], current: string | undefined): string[] {
  return choices.map(({ id, name, description }) => {
    const title = name === "" ? "" : ` (${sanitizeLine(name)})`;
    const about = description ? `: ${sanitizeLine(description)}` : "";
    return `${id === current ? "*" : " "} ${sanitizeLine(id)}${title}${about}`;
  });
}

function listText(head: string, lines: readonly string[], none = "none"): string {
  return [head, ...(lines.length === 0 ? [`  ${none}`] : lines)].join("\n");
}

function nameOf({ name, title, version }: AgentFacts): string {
  const own = [title, version].filter((part) => part !== undefined).join(" ");
  return own === "" || own === name ? name : `${name} (${sanitizeLine(own)})`;
}

/** Capabilities as `a.b: yes` lines. Skips `_meta`, whose content only the agent understands. */
function flat(value: unknown, path = ""): string[] {
  if (!isJsonObject(value)) return path === "" ? [] : [`${sanitizeLine(path)}: ${word(value)}`];
  const entries = Object.entries(value).filter(([key]) => key !== "_meta");
  if (entries.length === 0) return path === "" ? [] : [`${sanitizeLine(path)}: yes`];
  return entries.flatMap(([key, item]) => flat(item, path === "" ? key : `${path}.${key}`));
}

function word(value: unknown): string {
  if (value === true) return "yes";
  if (value === false || value === null) return "no";
  return sanitizeLine(JSON.stringify(value));
}
