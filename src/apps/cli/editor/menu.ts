/** One completion: the word to insert, and what it is. */
export interface Completion {
  readonly word: string;
  readonly detail: string;
}

/** Completions for the text between `start` and the cursor. */
export interface Completions {
  readonly start: number;
  readonly items: readonly Completion[];
}

/** The completions on the screen. Nothing is selected until a key selects it. */
export interface Menu extends Completions {
  /** The word that the user typed, which comes back when nothing is selected. */
  readonly typed: string;
  /** -1 if none is selected. */
  readonly index: number;
}

/** The longest text that all words start with. */
export function commonPrefix(words: readonly string[]): string {
  const [first = "", ...rest] = words;
  let length = first.length;
  for (const word of rest) {
    while (!word.startsWith(first.slice(0, length))) length--;
  }
  return first.slice(0, length);
}

/** Selects the next or the previous completion. After the last one, none is selected. */
export function moveIn(menu: Menu, step: 1 | -1): Menu {
  const places = menu.items.length + 1;
  return { ...menu, index: ((menu.index + 1 + step + places) % places) - 1 };
}
