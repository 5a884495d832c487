/** Text from a recording, on one line or with its lines. Control and invisible characters are visible. */
export { sanitizeLine as line, sanitize as lines } from "../../../../base/index.ts";

/** A duration, such as `12 ms`, `1.23 s` or `2 min 05 s`. */
export function duration(ms: number): string {
  if (ms < 1) return ms <= 0 ? "0 ms" : `${ms.toFixed(1)} ms`;
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 59_950) return `${(ms / 1000).toFixed(ms < 10_000 ? 2 : 1)} s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${two(seconds % 60)} s`;
  return `${Math.floor(seconds / 3600)} h ${two(Math.floor(seconds / 60) % 60)} min`;
}

/** A time since the start, such as `0:12.345`; with a sign before it if it is relative to another frame. */
export function clock(ms: number, isRelative = false): string {
  const size = Math.abs(ms);
  const whole = Math.floor(size / 1000);
  const [hours, minutes, seconds] = [Math.floor(whole / 3600), Math.floor(whole / 60), whole % 60];
  const head = hours > 0 ? `${hours}:${two(minutes % 60)}` : String(minutes);
  const sign = ms < 0 ? "−" : isRelative ? "+" : "";
  return `${sign}${head}:${two(seconds)}.${String(Math.floor(size % 1000)).padStart(3, "0")}`;
}

/** Bytes, such as `381 B`, `1.2 kB` or `77 MB`. */
export function bytes(count: number): string {
  if (count < 1000) return `${Math.round(count)} B`;
  const [unit, value] = count < 1e6 ? ["kB", count / 1000] : ["MB", count / 1e6];
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ${unit}`;
}

/** A whole number with thin groups, such as `200,000`. */
export function count(value: number): string {
  return String(Math.round(value)).replaceAll(/\B(?=(?:\d{3})+$)/g, ",");
}

/** A number and its noun, such as `1 frame` or `3 frames`. */
export function countOf(value: number, noun: string, nouns = `${noun}s`): string {
  return `${count(value)} ${value === 1 ? noun : nouns}`;
}

export function rate(value: number): string {
  return value < 100 ? value.toFixed(1) : count(value);
}

export function money(amount: number, currency: string): string {
  const digits = Math.abs(amount) < 1 ? 4 : 2;
  return `${amount.toFixed(digits)} ${currency}`.trim();
}

/** A word of the protocol as people write it: `in_progress` becomes `in progress`. */
export function words(name: string): string {
  return name.replaceAll("_", " ");
}

function two(value: number): string {
  return String(value).padStart(2, "0");
}
