import type { ResultFacts, UsageFacts } from "../renderer.ts";
import { sanitiseLine } from "../terminal/sanitise.ts";

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
