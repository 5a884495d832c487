/** Words that say how something is asked, not what about. */
const COMMON = new Set(
  (
    "a about all also an and any are as at be by can code could do does done for from get give has have how i in " +
    "into is it its just know like list look make me my of on one or our out please project repo repository " +
    "see show tell that the their them then there these they thing this those to up us use used uses " +
    "want was we were what when where which who why will with would you your explain describe find search " +
    "file files folder workspace overview summary summarise summarize work works working"
  ).split(" "),
);

/** Words that ask about the whole rather than a part. */
const WHOLE =
  /\b(project|repo|repository|workspace|codebase|folder|overview|summar\w+|readme|about)\b/i;

const MOST_WORDS = 8;

/** What a prompt asks for, told by its words alone. */
export interface SearchQuestion {
  /** The words to look for, in lower case, longest first. */
  readonly words: readonly string[];
  /** Whether it asks about the project as a whole. */
  readonly aboutProject: boolean;
}

const SHORTEST_STEM = 4;

/** A word without its ending, so that "detected" finds `detect.ts`. English, and only roughly. */
function stem(word: string): string {
  const cut = word.replace(/(?:ing|ed|ers?|es|s)$/, "");
  return cut.length >= SHORTEST_STEM ? cut : word;
}

/** Reads a prompt. Pure and total: a prompt without words asks about the project. */
export function toQuestion(prompt: string): SearchQuestion {
  const found = prompt.toLowerCase().match(/[\p{L}\p{N}_]{2,}/gu) ?? [];
  const words = [...new Set(found.filter((word) => !COMMON.has(word)).map(stem))]
    .toSorted((a, b) => b.length - a.length)
    .slice(0, MOST_WORDS);
  return { words, aboutProject: words.length === 0 || WHOLE.test(prompt) };
}
