import { isJsonObject } from "../../../wire/index.ts";
import type { AgentFacts, CapsFacts, CommandsFacts, ModesFacts } from "../renderer.ts";
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
  const lines = modes.map(({ id, name, description }) => {
    const about = description ? `: ${sanitiseLine(description)}` : "";
    return `${id === current ? "*" : " "} ${sanitiseLine(id)} (${sanitiseLine(name)})${about}`;
  });
  return [`Modes of ${nameOf(agent)}`, ...(lines.length === 0 ? ["  none"] : lines)].join("\n");
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
