import type { Requirement } from "../index.ts";

/** Which requirements a run judges, as `--only` and `--skip` name them. */
export interface Selection {
  /** Ids, patterns and areas. Empty: every requirement. */
  readonly only: readonly string[];
  /** The same, for requirements to leave out. */
  readonly skip: readonly string[];
}

/** A word of a selection names no requirement. */
export class SelectionError extends Error {
  override readonly name = "SelectionError";
  readonly word: string;

  constructor(word: string) {
    super(`"${word}" is neither the id nor the area of a requirement`);
    this.word = word;
  }
}

/**
 * The ids that a selection leaves. A word is an id, an area, or a pattern for one of them, in which `*`
 * stands for any text and `?` for one character; case does not matter. Throws {@link SelectionError} for
 * a word that names nothing. Pure.
 */
export function selectIds(
  requirements: readonly Pick<Requirement, "id" | "area">[],
  { only, skip }: Selection,
): ReadonlySet<string> {
  const wanted = only.length === 0 ? undefined : named(requirements, only);
  const unwanted = named(requirements, skip);
  return new Set(
    requirements
      .map(({ id }) => id)
      .filter((id) => (wanted === undefined || wanted.has(id)) && !unwanted.has(id)),
  );
}

function named(
  requirements: readonly Pick<Requirement, "id" | "area">[],
  words: readonly string[],
): ReadonlySet<string> {
  const ids = words.flatMap((word) => {
    const pattern = patternOf(word);
    const found = requirements.filter(({ id, area }) => pattern.test(id) || pattern.test(area));
    if (found.length === 0) throw new SelectionError(word);
    return found.map(({ id }) => id);
  });
  return new Set(ids);
}

function patternOf(word: string): RegExp {
  const source = word
    .replace(/[.+^${}()|[\]\\]/g, String.raw`\$&`)
    .replaceAll("*", ".*")
    .replaceAll("?", ".");
  return new RegExp(`^${source}$`, "i");
}
