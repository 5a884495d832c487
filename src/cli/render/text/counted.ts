/** A number with its noun: "1 file", "2 files". Pure. */
export function counted(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}
