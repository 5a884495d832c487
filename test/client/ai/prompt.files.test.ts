import type { LanguageModelV4FilePart } from "@ai-sdk/provider";
import { describe, expect, it } from "vitest";
import { fileBlock } from "../../../src/client/ai/prompt.ts";

const everything = { image: true, audio: true, embeddedContext: true };
const bytes = Uint8Array.from([1, 2, 255]);

function part(
  mediaType: string,
  data: LanguageModelV4FilePart["data"],
  filename?: string,
): LanguageModelV4FilePart {
  return { type: "file", mediaType, data, ...(filename === undefined ? {} : { filename }) };
}

describe("a file becomes", () => {
  it.each([
    ["an image", part("image/png", { type: "data", data: bytes }), { type: "image", data: "AQL/" }],
    ["audio", part("audio/wav", { type: "data", data: "AQL/" }), { type: "audio", data: "AQL/" }],
    [
      "an embedded resource",
      part("application/pdf", { type: "data", data: bytes }, "a b.pdf"),
      { type: "resource", resource: { uri: "attachment:///a%20b.pdf", blob: "AQL/" } },
    ],
    [
      "an embedded text",
      part("text/csv", { type: "data", data: new TextEncoder().encode("ä,b") }, "t.csv"),
      { type: "resource", resource: { text: "ä,b", mimeType: "text/csv" } },
    ],
    [
      "an embedded text, from base64",
      part("application/json", { type: "data", data: btoa("{}") }),
      { type: "resource", resource: { text: "{}" } },
    ],
    [
      "a link",
      part("image", { type: "url", url: new URL("https://example.com/x/a.png") }),
      { type: "resource_link", uri: "https://example.com/x/a.png", name: "a.png" },
    ],
  ])("%s", (_what, given, block) => {
    expect(fileBlock(given, everything)).toMatchObject(block);
  });

  it("base64, whatever its size", () => {
    const large = new Uint8Array(100_000).fill(7);
    const block = fileBlock(part("image/png", { type: "data", data: large }), everything);
    expect(block).toMatchObject({ data: Buffer.from(large).toString("base64") });
  });

  it("plain text if the agent does not accept resources", () => {
    const given = part("text/plain", { type: "text", text: "hi" }, "a.txt");
    expect(fileBlock(given, {})).toEqual({ type: "text", text: "a.txt:\nhi" });
  });
});

describe("an error names", () => {
  it.each([
    ["image/png", "the agent does not accept files of type image/png in prompts"],
    ["audio/wav", "the agent does not accept files of type audio/wav in prompts"],
    ["application/pdf", "the agent does not accept files of type application/pdf in prompts"],
    ["image", 'an agent needs the exact media type of a file, such as image/png, not "image"'],
  ])("the type %s", (mediaType, message) => {
    const given = part(mediaType, { type: "data", data: bytes });
    expect(() => fileBlock(given, {})).toThrow(message);
  });

  it("files that were uploaded to another provider", () => {
    const given = part("image/png", { type: "reference", reference: { openai: "file-1" } });
    expect(() => fileBlock(given, everything)).toThrow("pass its bytes or a URL");
  });
});
