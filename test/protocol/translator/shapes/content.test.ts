import { describe, expect, it } from "vitest";
import { blockToV1 } from "../../../../src/protocol/translator/shapes/content.ts";

describe("a content block in v1", () => {
  const link = { type: "resource_link", uri: "file:///a", name: "a" };

  it("is the same object if v1 has it", () => {
    const text = { type: "text", text: "x" };
    expect(blockToV1(text).block).toBe(text);
    expect(blockToV1(link)).toEqual({ block: link, isComplete: true });
  });

  it.each([
    [[{ src: "x" }], false],
    [null, true],
  ])("has no icons: %j", (icons, isComplete) => {
    expect(blockToV1({ ...link, icons })).toEqual({ block: link, isComplete });
  });

  it.each([{ type: "_x" }, { type: "text" }, {}, null, "text", undefined])(
    "is nothing for %j",
    (given) => {
      expect(blockToV1(given)).toEqual({ block: undefined, isComplete: false });
    },
  );
});
