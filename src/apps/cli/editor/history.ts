export const HISTORY = 500;

/** Adds the newest entry. An entry that is already there moves to the front. */
export function remember(history: readonly string[], text: string): readonly string[] {
  if (text.trim() === "") return history;
  return [text, ...history.filter((one) => one !== text)].slice(0, HISTORY);
}

/** The next entry from a position on that contains the text, without regard to case. */
export function searchFrom(
  history: readonly string[],
  query: string,
  from: number,
): number | undefined {
  const wanted = query.toLowerCase();
  for (let index = Math.max(0, from); index < history.length; index++)
    if (history[index]?.toLowerCase().includes(wanted)) return index;
  return undefined;
}
