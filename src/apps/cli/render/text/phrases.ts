import { isAbsolute, relative } from "node:path";
import type { AvailableCommand, SessionConfigOption } from "../../../../protocol/acp/index.ts";
import { isJsonObject, sanitizeLine } from "../../../../base/index.ts";
import type { AgentFacts, Listing, ResultFacts, UsageFacts } from "../renderer.ts";

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

/** The line that closes a turn: its time, and everything that the agent reports about its usage. */
export function usageLine({
  durationMs,
  usage,
}: Pick<ResultFacts, "durationMs" | "usage">): string {
  return [duration(durationMs), ...(usage === undefined ? [] : usageWords(usage))].join(", ");
}

function usageWords({ tokens, used, size, cost }: UsageFacts): readonly string[] {
  return [
    ...(tokens === undefined ? [] : [`${grouped(tokens.total)} tokens${parts(tokens)}`]),
    ...(used === undefined ? [] : [context(used, size)]),
    ...(cost === undefined ? [] : [`${amount(cost.amount)} ${sanitizeLine(cost.currency)}`]),
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
  if (!isAbsolute(path)) return sanitizeLine(path);
  const inside = relative(cwd, path);
  const isInside = inside !== "" && !inside.startsWith("..") && !isAbsolute(inside);
  return sanitizeLine(isInside ? inside : path);
}
