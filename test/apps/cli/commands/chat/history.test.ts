import { execFileSync } from "node:child_process";
import { mkdtemp, rm, truncate } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  readChatHistory,
  writeChatHistory,
} from "../../../../../src/apps/cli/commands/chat/chat.ts";
import { fakeIo } from "../../support/io.ts";

let home: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "dragoman-history-"));
});
afterEach(() => rm(home, { recursive: true, force: true }));
const file = () => join(home, ".local/state/dragoman/chat-history.json");

describe("the chat history", () => {
  it("is saved and read, with long lines", async () => {
    const lines = ["newest", "x".repeat(2_000_000)];
    await writeChatHistory(fakeIo({ home }), lines);
    expect(await readChatHistory(fakeIo({ home }))).toEqual(lines);
  });

  it("is empty if its file is a pipe or too large", async () => {
    await writeChatHistory(fakeIo({ home }), ["line"]);
    await truncate(file(), 17 * 1024 * 1024);
    expect(await readChatHistory(fakeIo({ home }))).toEqual([]);
    await rm(file());
    execFileSync("mkfifo", [file()]);
    expect(await readChatHistory(fakeIo({ home }))).toEqual([]);
  });
});
