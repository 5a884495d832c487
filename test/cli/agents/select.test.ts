import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CATALOGUE } from "../../../src/cli/agents/catalogue.ts";
import { splitCommandLine } from "../../../src/cli/agents/command-line.ts";
import { findCommand } from "../../../src/cli/agents/find.ts";
import { selectAgent, type AgentChoice } from "../../../src/cli/agents/select.ts";
import type { LoadedSettings } from "../../../src/cli/settings/load.ts";
import { fakeIo, type FakeIoOptions } from "../support/io.ts";

let bin: string;
beforeAll(async () => {
  bin = await mkdtemp(join(tmpdir(), "dragoman-bin-"));
  await writeFile(join(bin, "droid"), "#!/bin/sh\n");
  await chmod(join(bin, "droid"), 0o755);
  await writeFile(join(bin, "plain"), "");
  await mkdir(join(bin, "folder"));
});
afterAll(async () => {
  await rm(bin, { recursive: true, force: true });
});

const settings = (...names: string[]): LoadedSettings => ({
  agents: new Map(
    names.map((name) => [
      name,
      { command: `run-${name}`, args: ["x"], env: { K: "v" }, from: "s.json" },
    ]),
  ),
  mcpServers: [],
  files: names.length > 0 ? ["s.json"] : [],
  notes: [],
});
const select = (choice: Partial<AgentChoice>, from = settings(), path = "") =>
  selectAgent(
    fakeIo({ env: { PATH: path } }),
    { agent: undefined, agentCommand: undefined, ...choice },
    from,
  );

describe("the agent", () => {
  it("is the command line's", async () => {
    const { agent } = await select({ agentCommand: "dir/my-agent --acp 'a b'" }, settings("other"));
    expect(agent).toMatchObject({
      name: "my-agent",
      command: "dir/my-agent",
      args: ["--acp", "a b"],
    });
  });
  it("is the one named in the settings, which hide the catalogue", async () => {
    const { agent } = await select({ agent: "gemini" }, settings("a", "gemini"));
    expect(agent).toMatchObject({
      name: "gemini",
      command: "run-gemini",
      args: ["x"],
      env: { K: "v" },
    });
  });
  it("keeps the switches it needs, also when settings say how to start it", async () => {
    const { agent } = await select({ agent: "gemini" }, settings("gemini"));
    expect(agent.switches).toEqual({ missingFilesReadEmpty: true, replaysLate: true });
  });
  it("is one of the catalogue", async () => {
    const { agent } = await select({ agent: "opencode" });
    expect(agent).toMatchObject({ command: "opencode", args: ["acp"], from: "catalogue" });
  });
  it("is the first of the settings by default", async () => {
    const { agent, notes } = await select({}, settings("z", "a"), bin);
    expect(agent.name).toBe("z");
    expect(notes).toEqual([]);
  });
  it("is droid without settings if that is installed, and it is said", async () => {
    const { agent, notes } = await select({}, settings(), bin);
    expect(agent).toMatchObject({
      name: "droid",
      command: process.execPath,
      args: ["droid-acp.js"],
    });
    expect(notes).toEqual([expect.stringContaining("using droid")]);
  });
  it("is droid also where a variable names it or its installer put it", async () => {
    const choice = { agent: undefined, agentCommand: undefined };
    const chosen = async (io: FakeIoOptions) =>
      (await selectAgent(fakeIo(io), choice, settings())).agent.name;
    const PATH = "";
    expect(await chosen({ env: { PATH, DROID_EXECUTABLE: join(bin, "droid") } })).toBe("droid");
    expect(await chosen({ env: { PATH, DROID_EXECUTABLE: join(bin, "gone") } })).toBe("demo");
    await mkdir(join(bin, "home/.local/bin"), { recursive: true });
    await writeFile(join(bin, "home/.local/bin/droid"), "", { mode: 0o755 });
    expect(await chosen({ env: { PATH }, home: join(bin, "home") })).toBe("droid");
  });
  it("is the embedded one otherwise, and it is said", async () => {
    const { agent, notes } = await select({});
    expect(agent).toMatchObject({
      name: "demo",
      command: process.execPath,
      args: ["dragoman.js", "demo-agent"],
    });
    expect(notes).toEqual([expect.stringContaining("using the embedded demo agent")]);
  });
  it.each<[Partial<AgentChoice>, LoadedSettings, string]>([
    [{ agent: "gemni" }, settings(), 'unknown agent "gemni"'],
    [{ agent: "nope" }, settings("a"), "neither agent_servers (s.json) nor the catalogue has it"],
    [{ agent: "a", agentCommand: "b" }, settings(), "contradict"],
    [{ agentCommand: "  " }, settings(), "--agent-command is empty"],
    [{ agentCommand: "x 'y" }, settings(), "--agent-command has an open '"],
  ])("%j fails clearly", async (choice, from, message) => {
    await expect(select(choice, from)).rejects.toThrow(message);
  });
  it("is suggested when it was mistyped", async () => {
    await expect(select({ agent: "gemni" })).rejects.toMatchObject({
      details: { hint: "-a gemini" },
    });
  });
});

describe("a command line", () => {
  it.each([
    ["a b  c", ["a", "b", "c"]],
    ["'a b' \"c d\"", ["a b", "c d"]],
    ["a\\ b", ["a b"]],
    [String.raw`"say \"hi\""`, ['say "hi"']],
    [String.raw`C:\dir\x.exe -y`, [String.raw`C:\dir\x.exe`, "-y"]],
    ["x --k='v w'", ["x", "--k=v w"]],
    ["''", [""]],
    ["$HOME | cat", ["$HOME", "|", "cat"]],
    [" ", []],
  ])("%j is split", (text, words) => {
    expect(splitCommandLine(text)).toEqual(words);
  });
});

describe("a command", () => {
  const find = (command: string, PATH = bin) =>
    findCommand(command, { env: { PATH }, platform: "linux", cwd: bin });
  it("is found on the PATH and by its path", async () => {
    expect(await find("droid")).toBe(join(bin, "droid"));
    expect(await find("./droid", "")).toBe(join(bin, "droid"));
    expect(await find(join(bin, "droid"), "")).toBe(join(bin, "droid"));
  });
  it.each(["gone", "plain", "folder", ""])("%j is not", async (name) => {
    expect(await find(name)).toBeUndefined();
  });
  it("is found by its ending on Windows", async () => {
    await writeFile(join(bin, "tool.CMD"), "", { mode: 0o755 });
    const io = { env: { Path: bin, PATHEXT: ".EXE;.CMD" }, platform: "win32" as const, cwd: bin };
    expect(await findCommand("tool", io)).toBe(join(bin, "tool.CMD"));
  });
});

describe("the catalogue", () => {
  it("has every name once, each with a way to get it", () => {
    const names = CATALOGUE.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    expect(CATALOGUE.every(({ title, install }) => title !== "" && install !== "")).toBe(true);
  });
  it.each([
    "droid",
    "demo",
    "gemini",
    "claude",
    "codex",
    "opencode",
    "qwen",
    "copilot",
    "kimi",
    "cline",
    "pi",
    "goose",
  ])("has %s", (name) => {
    expect(CATALOGUE.map((entry) => entry.name)).toContain(name);
  });
});
