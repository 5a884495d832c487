import { isAbsolute, relative } from "node:path";
import { sanitizeLine } from "../../../../base/index.ts";
import type { ResultFacts, UsageFacts, PermissionFacts } from "../renderer.ts";

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

/** Whether a hint is a flag to try, and not a reason. */
export function isFlagHint(hint: string): boolean {
  return hint.startsWith("--");
}

/** The line that reports a denied permission, and what would have allowed it. */
export function denialLine({ what, hint }: PermissionFacts): string {
  if (hint === undefined) return `denied: ${what}`;
  return `denied: ${what} (${hint}${isFlagHint(hint) ? " would allow it" : ""})`;
}
