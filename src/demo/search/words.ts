/** Words that do not reveal what a question is about. */
const COMMON = new Set(
  (
    "a about all also an and any are as at be by can code could do does done for from get give has have how i in " +
    "into is it its just know like list look make me my of on one or our out please project repo repository " +
    "see show tell that the their them then there these they thing this those to up us use used uses " +
    "want was we were what when where which who why will with would you your explain describe find search " +
    "file files folder workspace overview summary summarise summarize work works working"
  ).split(" "),
);

/** Words that ask about the whole project rather than a part. */
const WHOLE_PROJECT =
  /\b(project|repo|repository|workspace|codebase|folder|overview|summar\w+|readme|about)\b/i;

const MAX_WORDS = 8;

/** The request in a prompt, judged by its words alone. */
export interface SearchQuestion {
  /** The words to search for, in lower case, longest first. */
  readonly words: readonly string[];
  /** Whether it asks about the project as a whole. */
  readonly aboutProject: boolean;
}

const MIN_STEM_CHARS = 4;

/** A rough English stem, so that "detected" finds `detect.ts`. */
function stem(word: string): string {
  const cut = word.replace(/(?:ing|ed|ers?|es|s)$/, "");
  return cut.length >= MIN_STEM_CHARS ? cut : word;
}

/** Parses a prompt. A prompt without words asks about the project. Pure; never throws. */
export function toQuestion(prompt: string): SearchQuestion {
  const found = prompt.toLowerCase().match(/[\p{L}\p{N}_]{2,}/gu) ?? [];
  const words = [...new Set(found.filter((word) => !COMMON.has(word)).map(stem))]
    .toSorted((a, b) => b.length - a.length)
    .slice(0, MAX_WORDS);
  return { words, aboutProject: words.length === 0 || WHOLE_PROJECT.test(prompt) };
}
