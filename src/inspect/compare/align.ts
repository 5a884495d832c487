import { diffArrays } from "diff";

/** A pair of positions in two lists; undefined where one list has nothing that fits. */
export interface AlignedPair {
  readonly a: number | undefined;
  readonly b: number | undefined;
}

/** More differences than this take too long, and nobody would read them. */
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
  const changes = diffArrays([...a], [...b], { maxEditLength: MOST_EDITS });
  if (!changes) return sideBySide([...a.keys()], [...b.keys()], pairsRest);
  const pairs: AlignedPair[] = [];
  let [atA, atB] = [0, 0];
  let restA: number[] = [];
  let restB: number[] = [];
  const flush = (): void => {
    pairs.push(...sideBySide(restA, restB, pairsRest));
    [restA, restB] = [[], []];
  };
  for (const { value, added, removed } of changes) {
    if (!added && !removed) flush();
    for (let count = value.length; count > 0; count--) {
      if (removed) restA.push(atA++);
      else if (added) restB.push(atB++);
      else pairs.push({ a: atA++, b: atB++ });
    }
  }
  flush();
  return pairs;
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
  if (a === b) return a === "" ? [] : [{ text: a, in: "both" }];
  const changes = diffArrays(wordsOf(a), wordsOf(b), { maxEditLength: MOST_EDITS });
  if (!changes)
    return [
      { text: a, in: "a" },
      { text: b, in: "b" },
    ];
  return changes.map(({ value, added, removed }) => ({
    text: value.join(""),
    in: removed ? "a" : added ? "b" : "both",
  }));
}

/** Words, single marks and stretches of space. */
function wordsOf(text: string): string[] {
  return text.match(/[\p{L}\p{N}_]+|\s+|[^]/gu) ?? [];
}
