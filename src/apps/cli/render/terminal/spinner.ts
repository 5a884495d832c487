import { columnsOf, cutToColumns } from "./columns.ts";

const FRAMES = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
const SECOND = 1000;
const MINUTE = 60;
/** The sign, the space after it, and two columns to spare. */
const AROUND = 4;

/** One row that shows what is happening, and for how long. The caller has sanitised the label. Pure. */
export function spinnerRow(
  label: string,
  { frame, elapsedMs, columns }: { frame: number; elapsedMs: number; columns: number },
): string {
  const time = elapsedText(elapsedMs);
  const room = Math.max(1, columns - AROUND - columnsOf(time));
  return `${FRAMES[frame % FRAMES.length] ?? ""} ${cutToColumns(label, room)}${time}`;
}

/** In whole seconds; empty within the first one. */
function elapsedText(ms: number): string {
  const seconds = Math.floor(ms / SECOND);
  if (seconds < 1) return "";
  const minutes = Math.floor(seconds / MINUTE);
  return minutes === 0 ? ` (${seconds} s)` : ` (${minutes} min ${seconds % MINUTE} s)`;
}
