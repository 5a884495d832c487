import { readFile, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { describe, expect, it } from "vitest";
import type { SystemPrompt } from "../../../../src/protocol/acp/index.ts";
import { UnsupportedByDroidError } from "../../../../src/droid/index.ts";
import { settings } from "../droid-settings.ts";
import {
  assertSystemPrompt,
  systemPromptError,
  systemPromptOption,
  systemPromptArguments,
} from "../../../../src/apps/droid-acp/process/system-prompt.ts";
import { toDroidServers } from "../../../../src/apps/droid-acp/translate/mcp-servers.ts";

const prompt = (mode: SystemPrompt["mode"], ...texts: string[]): SystemPrompt => ({
  mode,
  content: texts.map((text) => ({ type: "text", text })),
});

describe("instructions from the client", () => {
  it("are passed to Droid in a file that only the user can read, and that is removed afterwards", async () => {
    const { args, remove } = await systemPromptArguments(prompt("append", "one", "two"));
    const [option, file = ""] = args;
    expect(option).toBe("--append-system-prompt-file");
    expect(await readFile(file, "utf8")).toBe("one\n\ntwo");
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect((await stat(dirname(file))).mode & 0o777).toBe(0o700);
    await remove();
    await expect(stat(dirname(file))).rejects.toMatchObject({ code: "ENOENT" });
    await remove();
  });

  it.each([undefined, prompt("override", "one")])("add no arguments: %j", async (given) => {
    const { args, remove } = await systemPromptArguments(given);
    expect(args).toEqual([]);
    await remove();
  });

  it("replace those of Droid in a new session, and Droid must confirm it", () => {
    const given = prompt("override", "mine");
    expect(systemPromptOption(given)).toEqual({ systemPrompt: "mine" });
    expect(systemPromptOption(prompt("append", "mine"))).toEqual({});
    expect(systemPromptOption(undefined)).toEqual({});
    assertSystemPrompt(given, settings({ systemPrompt: "mine" }));
    assertSystemPrompt(prompt("append", "mine"), settings({}));
    for (const raw of [{}, { systemPrompt: "other" }, { systemPrompt: null }])
      expect(() => assertSystemPrompt(given, settings(raw))).toThrow("systemPrompt");
  });

  it("that a version of Droid cannot use are invalid params", () => {
    const error = new UnsupportedByDroidError("a system prompt", {
      cli: "0.99.0",
      protocol: undefined,
    });
    expect(systemPromptError(prompt("override", "mine"), error)).toMatchObject({ rpcCode: -32602 });
    expect(systemPromptError(prompt("append", "mine"), error)).toBe(error);
    const other = new Error("other");
    expect(systemPromptError(prompt("override", "mine"), other)).toBe(other);
  });
});

describe("MCP servers", () => {
  it("keep their environment variables and headers", () => {
    expect(
      toDroidServers([
        { name: "a", command: "/c", args: ["x"], env: [{ name: "K", value: "v" }] },
        { type: "http", name: "b", url: "http://h", headers: [{ name: "H", value: "v" }] },
        { type: "sse", name: "c", url: "http://s", headers: [] },
      ]),
    ).toEqual([
      { name: "a", command: "/c", args: ["x"], env: { K: "v" } },
      { type: "http", name: "b", url: "http://h", headers: { H: "v" } },
      { type: "sse", name: "c", url: "http://s", headers: {} },
    ]);
  });
});
