import { execFileSync } from "node:child_process";
import { mkdtemp, rm, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { assemblePrompt, type PromptParts } from "../../../../src/apps/cli/prompt/assemble.ts";

let cwd: string;
const PNG = Buffer.from("89504e470d0a1a0a0000000d", "hex");

beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), "dragoman-prompt-"));
  await writeFile(join(cwd, "p.txt"), "from a file @pic.png\n");
  await writeFile(join(cwd, "pic.png"), PNG);
  await writeFile(join(cwd, "bin"), Buffer.from([1, 0, 2]));
  execFileSync("mkfifo", [join(cwd, "pipe")]);
  await writeFile(join(cwd, "huge"), "");
  await truncate(join(cwd, "huge"), 32 * 1024 * 1024 + 1);
});
afterAll(async () => {
  await rm(cwd, { recursive: true, force: true });
});

const prompt = (parts: Partial<PromptParts>) =>
  assemblePrompt(
    { words: [], files: [], images: [], stdin: undefined, ...parts },
    { cwd, home: cwd },
  );

describe("a prompt", () => {
  it.each<[string, Partial<PromptParts>, string | undefined]>([
    ["is the argument", { words: ["hi"] }, "hi"],
    ["is all arguments, with spaces between them", { words: ["what", "is"] }, "what is"],
    ["is stdin, unchanged, if there is no argument", { stdin: "piped\n" }, "piped\n"],
    ["is the argument followed by stdin", { words: ["review"], stdin: "diff\n" }, "review\n\ndiff"],
    ["leaves out an empty stdin", { words: ["hi"], stdin: "\n" }, "hi"],
    ["is empty if all its parts are blank", { words: ["  "], stdin: "\n" }, undefined],
  ])("%s", async (_name, parts, text) => {
    const { blocks } = await prompt(parts);
    expect(blocks).toEqual(text === undefined ? [] : [{ type: "text", text }]);
  });

  it("includes files in order, and links what they mention", async () => {
    const { blocks } = await prompt({ words: ["first"], files: ["p.txt"], stdin: "last" });
    expect(blocks).toEqual([
      { type: "text", text: "first\n\nfrom a file @pic.png\n\nlast" },
      {
        type: "resource_link",
        uri: pathToFileURL(join(cwd, "pic.png")).href,
        name: "pic.png",
        mimeType: "image/png",
        size: PNG.length,
      },
    ]);
  });

  it("does not look for mentions in piped text if there is an argument", async () => {
    expect((await prompt({ words: ["review"], stdin: "@pic.png" })).blocks).toHaveLength(1);
    expect((await prompt({ stdin: "@pic.png" })).blocks).toHaveLength(2);
  });

  it("includes images", async () => {
    const { blocks } = await prompt({ words: ["what is it"], images: ["pic.png"] });
    expect(blocks[1]).toEqual({
      type: "image",
      mimeType: "image/png",
      data: PNG.toString("base64"),
    });
  });

  it("has a note for each mention that matches no file or folder", async () => {
    const { blocks, notes } = await prompt({ words: ["@gone.txt @./pipe @/dev/tty @."] });
    expect(notes).toEqual([
      "@gone.txt is not a file or folder; sent as text only",
      "@./pipe is not a file or folder; sent as text only",
      "@/dev/tty is not a file or folder; sent as text only",
    ]);
    expect(blocks).toMatchObject([{ type: "text" }, { mimeType: "inode/directory" }]);
  });

  it.each<[string, Partial<PromptParts>]>([
    ["gone.txt: no such file", { files: ["gone.txt"] }],
    ["gone.png: no such file", { images: ["gone.png"] }],
    ["p.txt is not a PNG, JPEG, GIF or WebP image", { images: ["p.txt"] }],
    ["bin is binary, not text", { files: ["bin"] }],
    [". is a folder, not a file", { files: ["."] }],
    ["pipe is a pipe, not a file", { files: ["pipe"] }],
    ["pipe is a pipe, not a file", { images: ["pipe"] }],
    ["/dev/zero is a device, not a file", { files: ["/dev/zero"] }],
    ["huge is larger than 32 MiB", { files: ["huge"] }],
    ["huge is larger than 32 MiB", { images: ["huge"] }],
  ])("fails with %j", async (message, parts) => {
    await expect(prompt(parts)).rejects.toThrow(message);
  });
});
