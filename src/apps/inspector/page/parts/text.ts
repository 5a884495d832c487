import { sanitise, sanitiseLine } from "../../../../base/index.ts";

/** Text from a recording on one line. Control and invisible characters are visible. */
export function line(text: string): string {
  return sanitiseLine(text);
}

/** Text from a recording with its lines. Control and invisible characters are visible. */
export function lines(text: string): string {
  return sanitise(text);
}
