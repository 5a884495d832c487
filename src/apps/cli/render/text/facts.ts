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
  ResultFacts,
  UsageFacts,
} from "../renderer.ts";
import { sanitiseLine } from "../terminal/sanitise.ts";
import { isAbsolute, relative } from "node:path";

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

export function modesText({ agent, modes, current }: ModesFacts): string {
  return listText(`Modes of ${nameOf(agent)}`, choiceLines(modes, current));
}

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

/** The line that closes a turn: its time, and everything that the agent reports about its usage. */
export function usageLine({
  durationMs,
  usage,
}: Pick<ResultFacts, "durationMs" | "usage">): string {
  return [duration(durationMs), ...(usage === undefined ? [] : figures(usage))].join(", ");
}

function figures({ tokens, used, size, cost }: UsageFacts): readonly string[] {
  return [
    ...(tokens === undefined ? [] : [`${grouped(tokens.total)} tokens${parts(tokens)}`]),
    ...(used === undefined ? [] : [context(used, size)]),
    ...(cost === undefined ? [] : [`${amount(cost.amount)} ${sanitiseLine(cost.currency)}`]),
  ];
}

function parts({ input, output }: NonNullable<UsageFacts["tokens"]>): string {
  return input === undefined || output === undefined
    ? ""
    : ` (${grouped(input)} in, ${grouped(output)} out)`;
}

/** Some agents send a size of 0 because they do not know it. */
function context(used: number, size: number | undefined): string {
  if (size === undefined || size <= 0) return `context ${grouped(used)}`;
  return `context ${grouped(used)} of ${grouped(size)} (${Math.round((used / size) * 100)} %)`;
}

const MS_PER_SECOND = 1000;
const SECONDS_PER_MINUTE = 60;

function duration(ms: number): string {
  const seconds = ms / MS_PER_SECOND;
  if (seconds < SECONDS_PER_MINUTE) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  return `${Math.floor(whole / SECONDS_PER_MINUTE)} min ${whole % SECONDS_PER_MINUTE} s`;
}

/** Small amounts keep two digits that say something. */
function amount(value: number): string {
  return value === 0 || value >= 0.01 ? value.toFixed(2) : String(Number(value.toPrecision(2)));
}

/** With commas, in every locale: the line is English. */
function grouped(value: number): string {
  return String(value).replace(/\B(?=(?:\d{3})+$)/g, ",");
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const STEPS: readonly (readonly [unit: string, ms: number, until: number])[] = [
  ["min", MINUTE, HOUR],
  ["h", HOUR, DAY],
  ["d", DAY, 14 * DAY],
  ["wk", 7 * DAY, 60 * DAY],
  ["mo", 30 * DAY, 730 * DAY],
  ["y", 365 * DAY, Number.POSITIVE_INFINITY],
];

/** A time relative to now, such as "2 h ago". Both are milliseconds since the epoch. Pure. */
export function timeAgo(time: number, now: number): string {
  const age = now - time;
  // Clocks of two machines differ a little.
  if (age < MINUTE) return "just now";
  const [unit, ms] = STEPS.find(([, , until]) => age < until) ?? ["y", 365 * DAY];
  return `${Math.floor(age / ms)} ${unit} ago`;
}

/** A path for display: relative to the workspace if it is inside, and safe for a terminal. */
export function shownPath(path: string, cwd: string): string {
  if (!isAbsolute(path)) return sanitiseLine(path);
  const inside = relative(cwd, path);
  const isInside = inside !== "" && !inside.startsWith("..") && !isAbsolute(inside);
  return sanitiseLine(isInside ? inside : path);
}
