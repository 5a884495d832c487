import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, rm, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { PassThrough, Readable } from "node:stream";
import {
  assemblePrompt,
  type PromptParts,
  readStdin,
} from "../../../../src/apps/cli/prompt/read.ts";
import { findMentions, linksOf } from "../../../../src/apps/cli/prompt/mentions.ts";
import { fakeIo } from "../support/io.ts";
import { imageTypeOf, mimeTypeOf } from "../../../../src/apps/cli/prompt/mime-types.ts";

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

describe("mentions", () => {
  it.each([
    ["read @a.ts", [{ kind: "path", path: "a.ts", quoted: false }]],
    ["@a.ts first", [{ kind: "path", path: "a.ts", quoted: false }]],
    ['the @"my file.txt" here', [{ kind: "path", path: "my file.txt", quoted: true }]],
    ["see @~/notes.md", [{ kind: "path", path: "~/notes.md", quoted: false }]],
    ["(@src/x.ts)", [{ kind: "path", path: "src/x.ts", quoted: false }]],
    ["@https://example.com/a.txt.", [{ kind: "url", url: "https://example.com/a.txt" }]],
    ["@http://h/?q=1,", [{ kind: "url", url: "http://h/?q=1" }]],
    ["mail me@example.com", []],
    ["a @ b", []],
    ["@@x", []],
  ])("in %j are found", (text, mentions) => {
    expect(findMentions(text)).toEqual(mentions);
  });

  beforeAll(async () => {
    await mkdir(join(cwd, "src"));
    for (const name of ["a.ts", "src/n.md", "my file.txt", "odd."])
      await writeFile(join(cwd, name), "123");
  });
  const links = (text: string) => linksOf(text, { cwd, home: join(cwd, "src") });
  const uri = (name: string): string => pathToFileURL(join(cwd, name)).href;

  it.each(["@a.ts:2", "@a.ts:2:14", "@a.ts:2-5", "(@a.ts:2)", "@a.ts:2."])(
    "with a line number, as in %s, link to the file",
    async (text) => {
      const { blocks, missing } = await links(text);
      expect(missing).toEqual([]);
      expect(blocks).toMatchObject([{ uri: uri("a.ts") }]);
    },
  );

  it("become links, once each and in order, if they are URLs or match a file", async () => {
    const { blocks, missing } = await links(
      'look at @src, @a.ts. and @~/n.md; @"my file.txt" @a.ts @odd. @https://example.com/spec.pdf',
    );
    expect(missing).toEqual([]);
    const link = { type: "resource_link", size: 3 };
    expect(blocks).toEqual([
      { type: "resource_link", uri: uri("src"), name: "src", mimeType: "inode/directory" },
      { ...link, uri: uri("a.ts"), name: "a.ts", mimeType: "text/typescript" },
      { ...link, uri: uri("src/n.md"), name: "n.md", mimeType: "text/markdown" },
      { ...link, uri: uri("my file.txt"), name: "my file.txt", mimeType: "text/plain" },
      { ...link, uri: uri("odd."), name: "odd." },
      {
        type: "resource_link",
        uri: "https://example.com/spec.pdf",
        name: "spec.pdf",
        mimeType: "application/pdf",
      },
    ]);
  });

  it("that look like paths but match no file are reported as missing", async () => {
    expect(await links('@gone.ts @"not there" @param @decorator() @a/b')).toEqual({
      blocks: [],
      missing: ["gone.ts", "not there", "a/b"],
    });
  });
});

it.each([
  ["a.ts", "text/typescript"],
  ["/x/Makefile", "text/x-makefile"],
  ["A.PNG", "image/png"],
  ["x.constructor", undefined],
  ["constructor", undefined],
  ["none", undefined],
])("the mime type of %s is %s", (name, type) => {
  expect(mimeTypeOf(name)).toBe(type);
});

it.each([
  ["ffd8ffe0", "image/jpeg"],
  ["474946383961", "image/gif"],
  ["524946460000000057454250", "image/webp"],
  ["3c737667", undefined],
])("an image that starts with %s has the type %s", (hex, type) => {
  expect(imageTypeOf(Buffer.from(hex, "hex"))).toBe(type);
});

const never = new AbortController().signal;
const read = (stdin: Readable, stop = never) => readStdin(fakeIo({ stdin }), () => {}, stop);

describe("stdin", () => {
  it("is read to its end", async () => {
    expect(await read(Readable.from([Buffer.from("a"), Buffer.from("b")]))).toBe("ab");
  });

  it("is not read on and on if it never ends", async () => {
    const piece = Buffer.alloc(1024 * 1024, "y\n");
    let pieces = 0;
    const endless = new Readable({
      read() {
        pieces++;
        this.push(piece);
      },
    });
    await expect(read(endless)).rejects.toThrow("stdin is larger than 32 MiB");
    expect(pieces).toBeLessThan(40);
    expect(endless.destroyed).toBe(true);
  });

  it("is not waited for after a signal, even one that came before", async () => {
    const before = AbortSignal.abort(new Error("interrupted"));
    await expect(read(new PassThrough(), before)).rejects.toThrow("interrupted");
    const during = new AbortController();
    const reading = read(new PassThrough(), during.signal);
    during.abort(new Error("interrupted"));
    await expect(reading).rejects.toThrow("interrupted");
  });
});
