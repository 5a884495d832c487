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
