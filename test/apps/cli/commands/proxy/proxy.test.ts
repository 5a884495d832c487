// `dragoman proxy` as editors start it: a real process, with a client that can be killed.
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { parseRecording } from "../../../../../src/transport/wire/index.ts";
import { Answer, Editor, Gone } from "../../../../host/hub/editor.ts";
import { agentPath, type Bundle, bundleOf } from "../../../../support/agents/bundle.ts";
import { processesWithHome } from "../../../../support/droid/leftovers.ts";
import { AGENT, buildBin, type BuiltBin } from "../../support/bin.ts";
import { run } from "../../support/run.ts";
import { foldersForEach } from "../setup.ts";

const V2_AGENT = fileURLToPath(
  new URL("../../../../support/agents/sdk-v2-agent.mjs", import.meta.url),
);

let bin: BuiltBin;
let toolkit: Bundle;
const folders = foldersForEach();
let editors: Editor[] = [];
let asked: string[] = [];
beforeAll(async () => {
  [bin, toolkit] = await Promise.all([buildBin(), bundleOf("src/entries/agent.ts")]);
}, 120_000);
afterAll(() => Promise.all([bin.remove(), toolkit.remove()]));
beforeEach(async () => {
  asked = [];
  await mkdir(join(folders.home, "kept"));
});
afterEach(async () => {
  for (const editor of editors) editor.end();
  for (const editor of editors) await editor.ended;
  editors = [];
  expect(await left()).toEqual([]);
});

const left = () => processesWithHome(folders.home);
const kept = (name: string) => join(folders.home, "kept", name);
const stormAgent = (how: "load" | "resume" = "load") => {
  const program = agentPath("storm-agent.mjs");
  return ["--", process.execPath, program, toolkit.url, kept(""), how];
};
const scripted = (...switches: string[]) => ["--", process.execPath, AGENT, ...switches];

/** An editor with `dragoman proxy` and these arguments. */
function editor(...args: string[]): Editor {
  const started = new Editor({
    command: [process.execPath, bin.file, "proxy", ...args],
    pidFile: kept("proxies"),
    env: { PATH: process.env["PATH"] ?? "/usr/bin:/bin", HOME: folders.home, LANG: "C.UTF-8" },
    cwd: folders.cwd,
    answer: async (method) => {
      asked.push(method);
      return { outcome: { outcome: "selected", optionId: "once" } };
    },
  });
  editors.push(started);
  return started;
}

/** Kills the newest process that is noted in a file. */
async function killNoted(name: string): Promise<void> {
  const pids = (await readFile(kept(name), "utf8")).trim().split("\n").map(Number);
  process.kill(pids.at(-1) ?? 0, "SIGKILL");
}

describe("a proxy", () => {
  it("relays a session and exits with 0 when the editor closes stdin", async () => {
    const client = editor(...scripted());
    expect(await client.initialize()).toMatchObject({ protocolVersion: 1 });
    const session = await client.newSession(folders.cwd);
    expect(await client.prompt(session, "hello")).toEqual({ stopReason: "end_turn" });
    expect(client.text(session)).toBe("Hello, world");
    client.end();
    expect(await client.ended).toBe(0);
    expect(client.stderr).toBe("");
  });

  it("ends an idle agent, and starts it again for the next prompt in the same session", async () => {
    // Long enough for the session to be opened first, even on a busy machine.
    const client = editor("--agent-idle", "500ms", ...stormAgent());
    await client.initialize();
    const session = await client.newSession(folders.cwd);
    await expect.poll(() => client.stderr, { timeout: 20_000 }).toMatch(/because it was idle/);
    expect(await client.prompt(session, "p1 text")).toEqual({ stopReason: "end_turn" });
    expect(client.stderr).toMatch(/was restarted/);
  });

  it("passes the agent's stderr on to stderr", async () => {
    const client = editor("--", "sh", "-c", "echo from the agent >&2; cat > /dev/null");
    client.initialize().catch(() => {});
    await expect.poll(() => client.stderr, { timeout: 10_000 }).toBe("[stderr] from the agent\n");
  });

  it("answers initialize with the error and exits with 7 if the agent cannot be started", async () => {
    const client = editor("--", "no-such-agent");
    const error = await client.initialize().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(Answer);
    expect(error).toMatchObject({ message: expect.stringContaining("no-such-agent") });
    expect(await client.ended).toBe(7);
    expect(client.stderr).toMatch(/^dragoman: .*no-such-agent.*\n$/);
  });

  it("answers with the exit code and stderr if the agent dies while it starts", async () => {
    const client = editor("--", "sh", "-c", "echo broken >&2; exit 3");
    const error = await client.initialize().catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ message: expect.stringContaining("exited with code 3") });
    expect(await client.ended).toBe(7);
    expect(client.stderr).toContain("broken");
  });

  it.each(["load", "resume"] as const)(
    "goes on in the same session after the agent was killed, by session/%s",
    async (how) => {
      const client = editor(...stormAgent(how));
      await client.initialize();
      const session = await client.newSession(folders.cwd);
      await client.prompt(session, "p1 text");
      const running = client.prompt(session, "p2 hang").catch((thrown: unknown) => thrown);
      await client.until((updates) => JSON.stringify(updates).includes('"tool_call"'));
      await killNoted("agents.jsonl");
      const error = await running;
      expect(error).toBeInstanceOf(Answer);
      expect(error).toMatchObject({
        code: -32005,
        message: expect.stringContaining("SIGKILL"),
        data: { signal: "SIGKILL" },
      });
      const from = client.updates.length;
      expect(await client.prompt(session, "p3 text")).toEqual({ stopReason: "end_turn" });
      expect(client.text(session, from)).toContain("done p3 after 3");
      expect(JSON.stringify(client.updates.slice(from))).not.toContain("user_message_chunk");
      expect(client.stderr).toContain("the process was killed by SIGKILL");
    },
  );

  it.each(["client", "proxy"] as const)("leaves nothing if the %s is killed", async (victim) => {
    const client = editor(...stormAgent());
    await client.initialize();
    const session = await client.newSession(folders.cwd);
    const running = client.prompt(session, "p1 hang").catch((thrown: unknown) => thrown);
    await client.until((updates) => JSON.stringify(updates).includes('"tool_call"'));
    if (victim === "client") client.kill();
    else await killNoted("proxies");
    expect(await running).toBeInstanceOf(Gone);
    await expect.poll(left, { timeout: 20_000 }).toEqual([]);
  });

  it("ends the agent on SIGTERM and exits with 143", async () => {
    const client = editor(...stormAgent());
    await client.initialize();
    process.kill(Number(await readFile(kept("proxies"), "utf8")), "SIGTERM");
    expect(await client.ended).toBe(143);
    expect(await left()).toEqual([]);
  });

  it("records each run in a file that dragoman replay can play", async () => {
    const client = editor("--record-dir", "recordings", ...scripted());
    await client.initialize();
    const session = await client.newSession(folders.cwd);
    await client.prompt(session, "hello");
    client.end();
    await client.ended;
    const [name = ""] = await readdir(join(folders.cwd, "recordings"));
    const file = join(folders.cwd, "recordings", name);
    const { lines } = parseRecording(await readFile(file, "utf8"));
    expect(lines[0]).toMatchObject({
      direction: "out",
      line: expect.stringContaining("initialize"),
    });
    const replay = `${process.execPath} ${bin.file} replay ${file}`;
    const where = { ...folders, dragoman: bin.file };
    const { out } = await run(["--agent-command", replay, "hello"], where);
    expect(out).toBe("Hello, world");
  });

  it.each(["2", "newest"])("translates for a v1 editor with --protocol %s", async (version) => {
    const client = editor("--protocol", version, "--", process.execPath, V2_AGENT);
    expect(await client.initialize()).toMatchObject({ protocolVersion: 1 });
    const session = await client.newSession(folders.cwd);
    expect(await client.prompt(session, "hello")).toMatchObject({ stopReason: "end_turn" });
    expect(client.text(session)).not.toBe("");
  });

  it("decides by the rules, asks the editor about the rest, and writes the audit log", async () => {
    const rules = { version: 1, rules: [{ kind: "execute", decision: "deny" }] };
    await writeFile(join(folders.cwd, "rules.json"), JSON.stringify(rules));
    const files = ["--permissions", "rules.json", "--audit-log", "audit.jsonl"];
    const client = editor(...files, ...scripted());
    await client.initialize();
    const session = await client.newSession(folders.cwd);
    await client.prompt(session, "run");
    expect(asked).toEqual([]);
    await client.prompt(session, "edit");
    expect(asked).toEqual(["session/request_permission"]);
    client.end();
    await client.ended;
    const lines = (await readFile(join(folders.cwd, "audit.jsonl"), "utf8")).trim().split("\n");
    expect(lines.map((line): unknown => JSON.parse(line))).toMatchObject([
      { session, decision: "deny", by: { type: "rule", rule: 1, file: "rules.json" } },
      { session, decision: "allow", by: { type: "client" } },
    ]);
  });

  it("takes agents from the settings and hides their secrets", async () => {
    const env = { KEY: "the-secret-of-these-settings" };
    const args = ["-c", `echo "$KEY" >&2; exec ${process.execPath} ${AGENT}`];
    const settings = { agent_servers: { mine: { command: "sh", args, env } } };
    await writeFile(join(folders.cwd, "settings.json"), JSON.stringify(settings));
    const client = editor("-a", "mine", "--settings", "settings.json");
    expect(await client.initialize()).toMatchObject({ protocolVersion: 1 });
    await expect.poll(() => client.stderr).toContain("[stderr]");
    expect(client.stderr).not.toContain(env.KEY);
  });
});

describe("the arguments of a proxy", () => {
  it.each([
    [[], "proxy needs an agent; try: dragoman proxy -a NAME, or dragoman proxy -- COMMAND"],
    [["-a", "demo", "--", "x"], "--agent and a command contradict each other"],
    [["-a", "nonesuch"], /^unknown agent "nonesuch"/],
    [["--protocol", "3", "--", "x"], /^--protocol "3" is not one of 1, 2, newest/],
    [["--write", "--", "x"], /^--write does not apply to proxy/],
    [["--record-dir", "/dev/null/x", "--", "x"], /^could not create --record-dir/],
  ] as const)("%j are refused", async (argv, last) => {
    const ended = await run(["proxy", ...argv], folders);
    expect(ended.code).toBe(2);
    expect(ended.last).toMatch(last);
    expect(ended.out).toBe("");
  });
});

describe("the check of a proxy", () => {
  const check = (...argv: string[]) =>
    run(["proxy", "--doctor", ...argv], { ...folders, dragoman: bin.file });

  it("opens a session through the proxy, as an editor would", async () => {
    const { code, out } = await check("--record-dir", "seen", ...scripted());
    expect(code).toBe(0);
    expect(out).toMatch(
      /^ok {3}command .*\nok {3}version .*\nok {3}handshake .*\nok {3}session .*\n/,
    );
    expect(out).toContain("node works through the proxy");
    expect(await readdir(join(folders.cwd, "seen"))).toHaveLength(1);
  });

  it("reports an agent that does not exist", async () => {
    expect(await check("--", "no-such-agent")).toMatchObject({
      code: 7,
      out: expect.stringContaining("FAIL command"),
    });
  });

  it("reports an agent that does not start", async () => {
    const { code, out } = await check("--", "sh", "-c", "echo broken >&2; exit 3");
    expect(code).not.toBe(0);
    expect(out).toContain("FAIL handshake");
    expect(out).toContain("sh died while starting (exit code 3)");
  });
});
