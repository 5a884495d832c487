/** The words of a text. Long lists of words are easier to read in lines. */
export function words(text: string): string[] {
  return text.trim().split(/\s+/);
}
