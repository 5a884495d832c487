import { describe, expect, it } from "vitest";
import { nameOf, toPromptInput } from "../../../../src/apps/droid-acp/translate/prompt.ts";

describe("an ACP prompt", () => {
  it.each([
    [[{ type: "text", text: "hi" }], { text: "hi" }],
    [[], undefined],
    [[{ type: "text", text: " \n" }], undefined],
    [
      [
        { type: "text", text: "see " },
        { type: "resource_link", uri: "file:///a", name: "a]" },
        { type: "text", text: ", ok?" },
      ],
      { text: "see [@a\\]](file:///a), ok?" },
    ],
    [
      [
        { type: "text", text: "a" },
        { type: "text", text: "b" },
      ],
      { text: "a\nb" },
    ],
    [
      [{ type: "image", data: "AA", mimeType: "image/png" }],
      { text: "", images: [{ data: "AA", mediaType: "image/png" }] },
    ],
    [
      [{ type: "resource", resource: { uri: 'file:///"x"', text: "T" } }],
      { text: '\n<resource uri="file:///&quot;x&quot;">\nT\n</resource>\n' },
    ],
    [
      [
        {
          type: "resource",
          resource: { uri: "file:///d/i.png", blob: "AA", mimeType: "image/png" },
        },
      ],
      { text: "[@i.png](file:///d/i.png)", images: [{ data: "AA", mediaType: "image/png" }] },
    ],
    [
      [{ type: "resource", resource: { uri: "file:///d/x.bin", blob: "AA" } }],
      {
        text: "[@x.bin](file:///d/x.bin)",
        files: [{ name: "x.bin", data: "AA", mediaType: "application/octet-stream" }],
      },
    ],
  ] as const)("is translated for Droid: %j", (blocks, input) => {
    expect(toPromptInput([...blocks])).toEqual(input);
  });
  it("names a resource after the last part of its URI", () => {
    expect(nameOf("file:///a/b%20c.txt?x#y")).toBe("b c.txt");
    expect(nameOf("file:///a/%E0%")).toBe("%E0%");
    expect(nameOf("x:")).toBe("x:");
  });
});
