import { execFileSync } from "node:child_process";
import { chmod, readFile, stat, symlink, writeFile, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { GRAMMAR } from "../../../../src/apps/cli/commands/grammar.ts";
import { sessionFolder } from "../../../../src/apps/cli/session/session.ts";
import { run, scratch, withAgent } from "../support/run.ts";
import { foldersForAll, expectRefused } from "../commands/setup.ts";

const folders = foldersForAll();
const prompt = (...argv: string[]) => run([...withAgent(), ...argv], folders);
describe("sessions", () => {
  it("are loaded, and the replay is not printed to stdout", async () => {
    const ended = await prompt("--resume", "kept", "hello");
    expect(ended).toMatchObject({ code: 0, out: "Hello, world" });
  });

  it("do not print the replay, even if the agent answers before the replay ends", async () => {
    const [, ...args] = withAgent("late-replay")[1]?.split(" ") ?? [];
    // The catalogue knows by its name that this agent replays late.
    await writeFile(
      join(folders.cwd, "late.json"),
      JSON.stringify({ agent_servers: { gemini: { command: "node", args } } }),
    );
    const flags = ["--settings", "late.json", "-a", "gemini"];
    expect((await run([...flags, "--resume", "kept", "hello"], folders)).out).toBe("Hello, world");
    const shown = await run(["sessions", "show", "kept", ...flags], folders);
    expect(shown.out).toContain("what was answered");
  });

  it("are resumed if the agent cannot load", async () => {
    const agent = withAgent("no-load", "resume");
    const { out, err } = await run([...agent, "-v", "--resume", "kept", "hello"], folders);
    expect(out).toBe("Hello, world");
    expect(err).toContain("[session] kept (resume)");
  });

  it.each([
    ["is unknown", [], "cannot reopen the session: Session not found"],
    ["cannot be resumed at all", ["no-load"], "cannot resume sessions"],
  ])("are not replaced by a new one if one %s: exit code 4", async (_name, switches, message) => {
    const ended = run([...withAgent(...switches), "--resume", "gone", "hello"], folders);
    await expectRefused(ended, message, 4);
    expect((await ended).out).toBe("");
  });

  it("are continued per agent and folder", async () => {
    const other = await scratch();
    const last = ["--continue", "-v", "hello"];
    const what = `node has no session in ${other.cwd} to continue; try: without`;
    await expectRefused(run([...withAgent(), ...last], other), what, 4);
    await run([...withAgent("session=kept"), "hello"], other);
    expect((await run([...withAgent(), ...last], other)).err).toContain("[session] kept (load)");
    const elsewhere = { home: other.home, cwd: other.home };
    expect((await run([...withAgent(), ...last], elsewhere)).code).toBe(4);
    await other.remove();
  });

  it("save their id with --save-session", async () => {
    await prompt("--save-session", "id.txt", "hello");
    expect(await readFile(join(folders.cwd, "id.txt"), "utf8")).toBe("s1\n");
    const failed = await prompt("--save-session", "gone/id.txt", "hello");
    expect(failed.code).toBe(2);
  });

  it.skipIf(process.platform === "win32")("save their id for the user only", async () => {
    const modeOf = async (name: string) => (await stat(join(folders.cwd, name))).mode & 0o777;
    await prompt("--save-session", "new-id.txt", "hello");
    expect(await modeOf("new-id.txt")).toBe(0o600);
    const old = join(folders.cwd, "old-id.txt");
    await writeFile(old, "a longer text than the id\n");
    await chmod(old, 0o666);
    await prompt("--save-session", "old-id.txt", "hello");
    expect([await modeOf("old-id.txt"), await readFile(old, "utf8")]).toEqual([0o600, "s1\n"]);
    await symlink(old, join(folders.cwd, "linked-id.txt"));
    await expectRefused(
      prompt("--save-session", "linked-id.txt", "hello"),
      "is a link; name the file that it leads to",
    );
  });

  it.skipIf(process.platform === "win32")("do not save their id to a pipe", async () => {
    execFileSync("mkfifo", [join(folders.cwd, "id-pipe")]);
    await expectRefused(
      prompt("--save-session", "id-pipe", "hello"),
      /^could not write --save-session id-pipe: .* is a pipe, not a file$/,
    );
  });

  it("take a mode, a model and options", async () => {
    const flags = ["--mode", "code", "--model", "large", "--set", "fast=true"];
    expect((await prompt(...flags, "settings")).out).toBe("code large true");
    expect((await prompt("settings")).out).toBe("ask small false");
  });

  it.each([
    [["--mode", "cod"], 'unknown mode "cod"; available: ask, code; try: code'],
    [["--model", "huge"], 'unknown model "huge"; available: small, large'],
    [["--set", "fst=true"], 'unknown option "fst"; available: model, fast; try: fast'],
    [["--set", "fast=maybe"], 'unknown value of fast "maybe"; available: true, false'],
  ])("fail for %j and list the available choices", (flags, message) =>
    expectRefused(prompt(...flags, "hello"), message),
  );

  it("get the MCP servers from the settings", async () => {
    const args = withAgent()[1]?.split(" ").slice(1);
    const own = { command: "node", args, env: { SECRET_TOKEN: "hush-hush-hush" } };
    const files = { name: "files", command: "/bin/files", args: ["--x"] };
    const web = { name: "web", type: "http", url: "https://example.com/mcp" };
    const settings = {
      agent_servers: { own },
      mcp_servers: [{ ...files, env: { KEY: "value" } }, web],
    };
    await writeFile(join(folders.cwd, "s.json"), JSON.stringify(settings));
    const { out, err } = await run(["--settings", "s.json", "servers"], folders);
    expect(JSON.parse(out)).toMatchObject({
      cwd: folders.cwd,
      mcpServers: [{ ...files, env: [{ name: "KEY", value: "value" }] }],
    });
    expect(err).toContain('skipping the MCP server "web": own lacks mcpCapabilities.http');
    expect((await run(["--settings", "s.json", "env"], folders)).out).toBe(
      `hush-hush-hush ${folders.cwd}`,
    );
  });
});

describe("the folder of a session on a server", () => {
  const folderOf = (url: string, root: unknown, ...argv: string[]) =>
    sessionFolder(
      { cwd: "/here", values: GRAMMAR.parse([...argv, "hello"]).values },
      {
        agent: { name: "far", remote: { url, headers: {} } },
        client: { agent: { meta: { "dragoman/root": root } } },
      },
    );

  it.each([
    ["that of -C", "wss://agents.example/acp", "/repo", ["-C", "/srv"], "/srv"],
    ["the root that the server names", "wss://agents.example/acp", "/repo", [], "/repo"],
    ["the root of a server on this machine", "ws://127.0.0.1:1/acp", "/repo", [], "/repo"],
    ["the current one on this machine", "ws://localhost:1/acp", undefined, [], "/here"],
    ["the current one on this machine, by IPv6", "http://[::1]:1/acp", "", [], "/here"],
    ["not the server's choice of files here", "ws://[::1]/acp", "/", ["--remote-files"], "/here"],
  ])("is %s", (_name, url, root, argv, folder) => {
    expect(folderOf(url, root, ...argv)).toBe(folder);
  });

  it.each([
    ["wss://agents.example/acp", undefined, []],
    ["wss://agents.example/acp", 7, []],
    ["wss://agents.example/acp", "/repo", ["--remote-files"]],
    ["ws://127.0.0.1.example/acp", undefined, []],
    ["ws://localhost.example/acp", undefined, []],
  ])("must be named for %s (%s)", (url, root, argv) => {
    expect(() => folderOf(url, root, ...argv)).toThrow("name the folder there");
  });
});

describe("--add-dir", () => {
  it("gives the session more folders, in which the agent may read", async () => {
    const other = join(folders.home, "other");
    await mkdir(other);
    await writeFile(join(other, "note.txt"), "from the other folder");
    const argv = [...withAgent("more-folders"), "--add-dir", "../home/other"];
    const { code, out } = await run([...argv, "servers"], folders);
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ additionalDirectories: [other] });
    const read = `read ${join(other, "note.txt")}`;
    expect((await run([...argv, read], folders)).out).toBe("from the other folder");
    expect((await run([...withAgent("more-folders"), read], folders)).out).toMatch(/^error/);
  });
  it("applies to resumed sessions too", async () => {
    const argv = [...withAgent("more-folders"), "--resume", "kept", "--add-dir", "."];
    const { out } = await run([...argv, "servers"], folders);
    expect(JSON.parse(out)).toMatchObject({ additionalDirectories: [folders.cwd] });
  });
  it.each([
    [
      [...withAgent(), "--add-dir", "."],
      "node does not support --add-dir: it does not advertise sessionCapabilities.additionalDirectories; try: without --add-dir",
    ],
    [[...withAgent(), "--resume", "kept", "--add-dir", "."], "node does not support --add-dir"],
    [[...withAgent("more-folders"), "--add-dir", "nowhere"], "--add-dir nowhere is not a folder"],
  ])("fails with a clear message (%#)", (argv, message) =>
    expectRefused(run([...argv, "hello"], folders), message),
  );
});

describe("--system-prompt", () => {
  const asked = async (...argv: string[]) => {
    const { out } = await run([...withAgent("system-prompt"), ...argv, "servers"], folders);
    return JSON.parse(out) as { systemPrompt?: unknown };
  };
  it("adds its text, or that of a file, to the agent's instructions", async () => {
    expect((await asked("--system-prompt", "Be brief.")).systemPrompt).toEqual({
      mode: "append",
      content: [{ type: "text", text: "Be brief." }],
    });
    await writeFile(join(folders.cwd, "rules.md"), "Answer in verse.\n");
    expect((await asked("--system-prompt", "@rules.md")).systemPrompt).toMatchObject({
      content: [{ text: "Answer in verse.\n" }],
    });
    expect((await asked()).systemPrompt).toBeUndefined();
  });
  it.each([
    [[...withAgent(), "--system-prompt", "x"], "node does not support --system-prompt"],
    [[...withAgent("system-prompt"), "--system-prompt", " "], "--system-prompt is empty"],
    [[...withAgent("system-prompt"), "--system-prompt", "@gone"], "gone: no such file"],
  ])("fails with a clear message (%#)", (argv, message) =>
    expectRefused(run([...argv, "hello"], folders), message),
  );
});

/** Whether a run deletes its session. */
const deletes = async (...argv: string[]): Promise<boolean> => {
  const { out } = await run(["-o", "jsonl", ...withAgent(), ...argv], folders);
  expect(out).toMatch(/"session\/(?:new|load)"/);
  return out.includes('"session/delete"');
};

describe("a session in which nothing was asked", () => {
  it.each([[["--list-modes"]], [["--list-commands"]], [["--model", "nosuch", "hello"]]])(
    "is deleted after %j",
    async (argv) => {
      expect(await deletes(...argv)).toBe(true);
    },
  );
  it.each([
    [["--list-modes", "hello"], "got a prompt"],
    [["--list-modes", "--save-session", "id"], "is saved for later"],
    [["--list-modes", "--resume", "kept"], "existed before"],
    [["--model", "nosuch", "--resume", "kept", "hello"], "existed before"],
    [["hello"], "got a prompt"],
  ])("is different from that of %j, which %s and stays", async (argv) => {
    expect(await deletes(...argv)).toBe(false);
  });
});
