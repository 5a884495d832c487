import { chmod, rename, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import type { SelectedAgent } from "../../../../src/apps/cli/agents/select.ts";
import {
  isInsideAgent,
  programFiles,
  warmAgent,
  warmEnvironment,
} from "../../../../src/apps/cli/warm/warm-agent.ts";
import { fakeIo } from "../support/io.ts";
import { foldersForEach } from "../commands/setup.ts";

const folders = foldersForEach();
let command: string;
beforeEach(async () => {
  command = join(folders.home, "agent");
  await writeFile(command, "#!/bin/sh\n");
  await chmod(command, 0o755);
});

interface Caller {
  readonly agent?: Partial<SelectedAgent>;
  readonly env?: Record<string, string>;
  readonly cwd?: string;
  readonly server?: string;
}

async function described({ agent, env, cwd, server }: Caller = {}) {
  const selected: SelectedAgent = {
    name: "mine",
    command,
    args: [],
    env: {},
    switches: {},
    from: "settings",
    entry: undefined,
    ...agent,
  };
  const io = fakeIo({ cwd: folders.cwd, ...(env === undefined ? {} : { env }) });
  const mcpServers = server === undefined ? [] : [{ name: server, command, args: [], env: {} }];
  return warmAgent(io, selected, { cwd: cwd ?? folders.cwd, mcpServers }, []);
}

async function keyOf(caller: Caller = {}) {
  return (await described(caller))?.key;
}

describe("the key of a warm agent", () => {
  it("is the same for two equal callers in different terminals", async () => {
    const one = { TMUX_PANE: "%1", SHLVL: "2", SSH_TTY: "/dev/pts/1", PWD: "/a", CLAUDECODE: "1" };
    expect(await keyOf({ env: one })).toBe(await keyOf());
  });

  it.each<readonly [string, Caller]>([
    ["argument", { agent: { args: ["--acp"] } }],
    ["variable", { env: { API_KEY: "x" } }],
    ["variable from the settings", { agent: { env: { API_KEY: "x" } } }],
    ["folder", { cwd: "/" }],
    ["MCP server", { server: "files" }],
  ])("differs with another %s", async (_, caller) => {
    expect(await keyOf(caller)).not.toBe(await keyOf());
  });

  it("differs once the executable or the script of an interpreter was changed", async () => {
    const script = join(folders.cwd, "agent.mjs");
    await writeFile(script, "1");
    await rename(command, join(folders.home, "node"));
    command = join(folders.home, "node");
    const caller = { agent: { args: ["agent.mjs"] } };
    const before = await keyOf(caller);
    await utimes(command, 1, 1);
    const after = await keyOf(caller);
    await writeFile(script, "22");
    expect(new Set([before, after, await keyOf(caller)]).size).toBe(3);
  });

  it("ignores changes to files that are only arguments of the agent", async () => {
    const interpreter = join(folders.home, "node");
    await writeFile(interpreter, "#!/bin/sh\n", { mode: 0o755 });
    await writeFile(join(folders.cwd, "agent.mjs"), "1");
    for (const caller of [
      { agent: { args: ["--log-file", "log"] } },
      { agent: { command: interpreter, args: ["agent.mjs", "--log-file", "log"] } },
    ]) {
      await writeFile(join(folders.cwd, "log"), "1");
      const before = await keyOf(caller);
      await writeFile(join(folders.cwd, "log"), "22");
      expect(await keyOf(caller)).toBe(before);
    }
  });

  it.each<readonly [string, readonly string[], readonly string[]]>([
    ["agent", ["agent.mjs"], []],
    ["node", ["agent.mjs", "--log-file", "log"], ["agent.mjs"]],
    ["/usr/bin/node", ["--import", "./hook.mjs", "agent.mjs", "log"], ["./hook.mjs", "agent.mjs"]],
    ["node", ["--import=./hook.mjs", "--no-warnings", "a.mjs"], ["./hook.mjs", "a.mjs"]],
    ["C:\\bin\\node.exe", ["agent.mjs"], ["agent.mjs"]],
    ["node", ["-e", "code", "log"], []],
    ["python3.12", ["-u", "agent.py", "log"], ["agent.py"]],
    ["python", ["-m", "agent", "log"], []],
    ["deno", ["run", "-A", "agent.ts", "log"], ["agent.ts"]],
    ["bun", ["run", "agent.ts", "log"], ["agent.ts"]],
    ["npx", ["-y", "some-agent", "--log-file", "log"], []],
    ["uvx", ["some-agent", "log"], []],
    ["uv", ["run", "agent.py", "log"], ["agent.py"]],
    ["env", ["-i", "A=b", "node", "agent.mjs", "log"], ["node", "agent.mjs"]],
    ["env", ["A=b"], []],
    ["node", [], []],
  ])("is about the files of the program in %s %j", (program, args, files) => {
    expect(programFiles(program, args)).toEqual(files);
  });

  it("is undefined for a command that does not exist", async () => {
    expect(await described({ agent: { command: "/nowhere/agent" } })).toBeUndefined();
  });

  it("comes with the caller's environment, without what belongs to one terminal or agent", async () => {
    const env = { API_KEY: "x", TERM: "xterm", TMUX: "1", CLAUDECODE: "1", DRAGOMAN_TREE_a: "1" };
    const agent = await described({ env, agent: { env: { MODE: "test" } } });
    expect(agent?.env).toMatchObject({ API_KEY: "x", TERM: "xterm", MODE: "test" });
    expect(Object.keys(agent?.env ?? {})).not.toContain("CLAUDECODE");
    expect(Object.keys(agent?.env ?? {})).not.toContain("TMUX");
    expect(Object.keys(warmEnvironment(env))).toEqual(["API_KEY", "TERM"]);
  });

  it("is not used where an agent of another Dragoman runs the command", () => {
    expect(isInsideAgent({ PATH: "/bin", DRAGOMAN_TREE_0123: "1" })).toBe(true);
    expect(isInsideAgent({ PATH: "/bin" })).toBe(false);
  });
});
