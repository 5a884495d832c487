import { describe, expect, it } from "vitest";
import { imagesIn, isRealImage } from "../../../../../src/conformance/check/agent/stage/images.ts";

const PNG = "iVBORw0KGgo=";

describe("an image in a request to a model", () => {
  it.each([
    [
      "OpenAI",
      { content: [{ type: "image_url", image_url: { url: `data:image/png;base64,${PNG}` } }] },
    ],
    ["Anthropic", { source: { type: "base64", media_type: "image/png", data: PNG } }],
    ["Gemini", { parts: [{ inlineData: { mimeType: "image/png", data: PNG } }] }],
  ])("is found in the form of %s", (_, body) => {
    const images = imagesIn({ messages: [body] });
    expect(images).toMatchObject([{ mediaType: "image/png" }]);
    expect(images.every(isRealImage)).toBe(true);
  });
  it("is not real if it is empty, or if its bytes have another type", () => {
    expect(isRealImage({ mediaType: "image/png", bytes: new Uint8Array() })).toBe(false);
    const [png] = imagesIn(`data:image/jpeg;base64,${PNG}`);
    expect(png && isRealImage(png)).toBe(false);
  });
  it("is not a text about one", () => {
    expect(imagesIn({ type: "text", text: "see data:image/png;base64," })).toEqual([]);
  });
});
