import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { selectAgent, type AgentChoice } from "../../../../src/apps/cli/agents/select.ts";
import type { LoadedSettings } from "../../../../src/apps/cli/settings/load.ts";
import { fakeIo, type FakeIoOptions } from "../support/io.ts";

let bin: string;
beforeAll(async () => {
  bin = await mkdtemp(join(tmpdir(), "dragoman-bin-"));
  await writeFile(join(bin, "droid"), "#!/bin/sh\n");
  await chmod(join(bin, "droid"), 0o755);
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

describe("the selected agent", () => {
  it("is the one from --agent-command", async () => {
    const { agent } = await select({ agentCommand: "dir/my-agent --acp 'a b'" }, settings("other"));
    expect(agent).toMatchObject({
      name: "my-agent",
      command: "dir/my-agent",
      args: ["--acp", "a b"],
    });
  });
  it("is the named one, from the settings before the catalogue", async () => {
    const { agent } = await select({ agent: "gemini" }, settings("a", "gemini"));
    expect(agent).toMatchObject({
      name: "gemini",
      command: "run-gemini",
      args: ["x"],
      env: { K: "v" },
    });
  });
  it("keeps the switches it needs even if settings define how to start it", async () => {
    const { agent } = await select({ agent: "gemini" }, settings("gemini"));
    expect(agent.switches).toEqual({ missingFilesReadEmpty: true, replaysLate: true });
  });
  it("is the named one from the catalogue if the settings do not have it", async () => {
    const { agent } = await select({ agent: "opencode" });
    expect(agent).toMatchObject({ command: "opencode", args: ["acp"], from: "catalogue" });
  });
  it("is the first one in the settings by default", async () => {
    const { agent, notes } = await select({}, settings("z", "a"), bin);
    expect(agent.name).toBe("z");
    expect(notes).toEqual([]);
  });
  it("is droid, with a note, if there are no settings and droid is installed", async () => {
    const { agent, notes } = await select({}, settings(), bin);
    expect(agent).toMatchObject({
      name: "droid",
      command: process.execPath,
      args: ["droid-acp.js"],
    });
    expect(notes).toEqual([expect.stringContaining("using droid")]);
  });
  it("is droid even if only a variable or the installer's folder leads to it", async () => {
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
  it("is otherwise the embedded one, with a note", async () => {
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
    [{ agent: "nope" }, settings("a"), "it is in neither agent_servers (s.json) nor the catalogue"],
    [{ agent: "a", agentCommand: "b" }, settings(), "contradict"],
    [{ agentCommand: "  " }, settings(), "--agent-command is empty"],
    [{ agentCommand: "x 'y" }, settings(), "--agent-command has an unclosed '"],
  ])("cannot be chosen by %j, and the error says why", async (choice, from, message) => {
    await expect(select(choice, from)).rejects.toThrow(message);
  });
  it("is the default one of the settings, even if it is not the first", async () => {
    const { agent } = await select({ defaultAgent: "a" }, settings("z", "a"));
    expect(agent.name).toBe("a");
    const { agent: known } = await select({ defaultAgent: "gemini" }, settings("z"));
    expect(known.name).toBe("gemini");
    const mistyped = select({ defaultAgent: "gemni" });
    await expect(mistyped).rejects.toThrow('unknown agent "gemni" in default_agent');
  });
  it("is suggested if its name was mistyped", async () => {
    await expect(select({ agent: "gemni" })).rejects.toMatchObject({
      details: { hint: "-a gemini" },
    });
  });
});
