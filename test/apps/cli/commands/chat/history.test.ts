import { execFileSync } from "node:child_process";
import { rm, truncate } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { foldersForEach } from "../setup.ts";
import { fakeIo } from "../../support/io.ts";
import {
  readChatHistory,
  writeChatHistory,
} from "../../../../../src/apps/cli/commands/chat/history.ts";

const folders = foldersForEach();
const file = () => join(folders.home, ".local/state/dragoman/chat-history.json");

describe("the chat history", () => {
  it("is saved and read, with long lines", async () => {
    const lines = ["newest", "x".repeat(2_000_000)];
    await writeChatHistory(fakeIo(folders), lines);
    expect(await readChatHistory(fakeIo(folders))).toEqual(lines);
  });

  it("is empty if its file is a pipe or too large", async () => {
    await writeChatHistory(fakeIo(folders), ["line"]);
    await truncate(file(), 17 * 1024 * 1024);
    expect(await readChatHistory(fakeIo(folders))).toEqual([]);
    await rm(file());
    execFileSync("mkfifo", [file()]);
    expect(await readChatHistory(fakeIo(folders))).toEqual([]);
  });
});
