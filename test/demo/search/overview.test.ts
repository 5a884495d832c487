import { describe, expect, it } from "vitest";
import { parseManifest, parseReadme } from "../../../src/demo/search/overview.ts";

describe("a project's description", () => {
  it("is the title and the first paragraph, without badges and images", () => {
    const readme =
      "![x](y)\n# Name #\n\n[![b](c)](d)\n<p>html</p>\n\n> quote\n\nFirst line\nsecond.\n\n## Use\n\nMore.\n";
    expect(parseReadme(readme)).toEqual({
      title: "Name",
      paragraph: "First line second.",
      line: 9,
      sections: [{ line: 12, text: "Use" }],
    });
  });
  it("is empty for an empty README", () => {
    expect(parseReadme("")).toEqual({
      title: undefined,
      paragraph: undefined,
      line: undefined,
      sections: [],
    });
  });
  it.each([
    ['{\n  "name": "n",\n  "description": "d d"\n}', "n", "d d"],
    ['[package]\nname = "n"\ndescription = "d"\n', "n", "d"],
    ["name: n\ndescription: d\n", "n", "d"],
  ])("is found in the manifest %j", (text, name, description) => {
    expect(parseManifest(text)).toMatchObject({ name, description });
  });
});
