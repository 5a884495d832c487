import { diffArrays } from "diff";

/** A part of two lists: the same items in both, or those that only one of them has. */
export interface Stretch<T> {
  readonly isSame: boolean;
  readonly a: readonly T[];
  readonly b: readonly T[];
}

/**
 * Divides two lists so that as many items as possible are the same and the order is kept. With more than
 * `mostEdits` differences, everything is one stretch that differs.
 */
export function stretchesOf<T>(
  a: readonly T[],
  b: readonly T[],
  mostEdits: number,
): readonly Stretch<T>[] {
  const changes = diffArrays([...a], [...b], { maxEditLength: mostEdits });
  if (changes === undefined) return [{ isSame: false, a, b }];
  const stretches: Stretch<T>[] = [];
  for (const { added, removed, value } of changes) {
    const last = stretches.at(-1);
    // Removed items come before those that replace them.
    if (added && last?.isSame === false) stretches.splice(-1, 1, { ...last, b: value });
    else
      stretches.push({
        isSame: !added && !removed,
        a: added ? [] : value,
        b: removed ? [] : value,
      });
  }
  return stretches;
}

/** A pair of positions in two lists; undefined where one list has nothing that fits. */
export interface AlignedPair {
  readonly a: number | undefined;
  readonly b: number | undefined;
}

/** More differences than this take too long to align. */
const MOST_EDITS = 2000;

/**
 * Aligns two lists of keys so that as many as possible are equal and the order is kept. In each stretch that
 * differs, items are put side by side in order if `pairsRest` is true, and otherwise one after the other.
 */
export function align(
  a: readonly string[],
  b: readonly string[],
  pairsRest: boolean,
): readonly AlignedPair[] {
  let [atA, atB] = [0, 0];
  return stretchesOf(a, b, MOST_EDITS).flatMap((stretch) => {
    const [placesA, placesB] = [stretch.a.map(() => atA++), stretch.b.map(() => atB++)];
    return sideBySide(placesA, placesB, pairsRest || stretch.isSame);
  });
}

function sideBySide(
  a: readonly number[],
  b: readonly number[],
  pairsRest: boolean,
): readonly AlignedPair[] {
  if (!pairsRest)
    return [
      ...a.map((at) => ({ a: at, b: undefined })),
      ...b.map((at) => ({ a: undefined, b: at })),
    ];
  const length = Math.max(a.length, b.length);
  return Array.from({ length }, (_, index) => ({ a: a[index], b: b[index] }));
}

/** A piece of two texts: in both, or only in one. */
export interface TextPiece {
  readonly text: string;
  readonly in: "both" | "a" | "b";
}

/** Compares two texts word by word. Texts that differ too much are two pieces. */
export function compareTexts(a: string, b: string): readonly TextPiece[] {
  const piece = (words: readonly string[], where: TextPiece["in"]): readonly TextPiece[] =>
    words.length === 0 ? [] : [{ text: words.join(""), in: where }];
  return stretchesOf(wordsOf(a), wordsOf(b), MOST_EDITS).flatMap((stretch) =>
    stretch.isSame
      ? piece(stretch.a, "both")
      : [...piece(stretch.a, "a"), ...piece(stretch.b, "b")],
  );
}

/** Words, single marks and stretches of space. */
function wordsOf(text: string): string[] {
  return text.match(/[\p{L}\p{N}_]+|\s+|[^]/gu) ?? [];
}
