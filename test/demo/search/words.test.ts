import { describe, expect, it } from "vitest";
import { toQuestion } from "../../../src/demo/search/words.ts";

describe("a question", () => {
  it.each([
    ["what does this project do?", [], true],
    ["", [], true],
    ["where is the dialect detected", ["dialect", "detect"], false],
    ["tell me about sessions", ["session"], true],
    ["Größe größe", ["größe"], false],
    ["a b c d ee ff gg hh ii jj kk ll", ["ee", "ff", "gg", "hh", "ii", "jj", "kk", "ll"], false],
  ])("%j searches for %j", (prompt, words, aboutProject) => {
    expect(toQuestion(prompt)).toEqual({ words, aboutProject });
  });
});
