import { execFileSync } from "node:child_process";
import {
  chmod,
  readFile,
  stat,
  symlink,
  writeFile,
  mkdir,
  readdir,
  readlink,
} from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parseRecording, memoryPair } from "../../../../src/transport/wire/index.ts";
import { run, withAgent } from "../support/run.ts";
import { foldersForAll, expectRefused } from "../commands/setup.ts";
import type { SelectedAgent } from "../../../../src/apps/cli/agents/select.ts";
import { secretHider } from "../../../../src/apps/cli/connect/secrets.ts";
import {
  decisionOf,
  openRunRecording,
  proxyRecording,
} from "../../../../src/apps/cli/connect/proxy-recording.ts";
import { Lines } from "../../../host/hub/lines.ts";

const folders = foldersForAll();
/** Records a run with the scripted agent in a new file. */
async function record(...argv: string[]) {
  const file = join(folders.cwd, `${Math.random()}.jsonl`);
  const ended = await run([...withAgent(), "--record", file, ...argv], folders);
  const text = await readFile(file, "utf8");
  return { ...ended, ...parseRecording(text), text };
}
const AGENT_FILE: unknown = expect.stringContaining("cli-agent.mjs");

describe("recordings", () => {
  it("contain all protocol messages with times, but no secrets", async () => {
    const args = withAgent()[1]?.split(" ").slice(1);
    const own = { command: "node", args, env: { SECRET_TOKEN: "hush-hush-hush" } };
    const files = { name: "files", command: "/bin/files", env: { KEY: "very-secret-value" } };
    const settings = { agent_servers: { own }, mcp_servers: [files] };
    await writeFile(join(folders.cwd, "s.json"), JSON.stringify(settings));
    const { out } = await run(["--settings", "s.json", "--record", "wire.jsonl", "env"], folders);
    expect(out).toContain("hush-hush-hush");
    const text = await readFile(join(folders.cwd, "wire.jsonl"), "utf8");
    expect(text).not.toContain("hush-hush-hush");
    expect(text).not.toContain("very-secret-value");
    const { header, lines } = parseRecording(text);
    expect(header).toMatchObject({ redacted: true });
    expect(lines[0]).toMatchObject({ ms: 0, direction: "out" });
  });

  it("keep a character whose bytes arrive in two chunks", async () => {
    const { out, text } = await record("unicode");
    expect(out).toBe("é");
    expect(text).toContain("é");
  });

  it("name the agent, the client and the folder", async () => {
    const { header } = await record("hello");
    expect(header).toMatchObject({
      agent: { name: expect.any(String) as string, command: [expect.any(String), AGENT_FILE] },
      client: { name: "dragoman" },
      cwd: folders.cwd,
    });
  });

  it("have each decision with its reason, after the request that it is about", async () => {
    const { lines, events } = await record("edit");
    const [decision] = events.filter(({ event }) => event === "permission");
    expect(decision).toMatchObject({ outcome: "denied", by: "default", hint: "--write" });
    const asked = lines.find(({ line }) => line.includes("session/request_permission"));
    expect(decision?.ms).toBeGreaterThanOrEqual(asked?.ms ?? Infinity);
  });

  it("have the agent's stderr and its end", async () => {
    const { code, events } = await record("crash");
    expect(code).not.toBe(0);
    expect(events).toMatchObject([
      { event: "stderr", text: "first words\nthe database is gone\n" },
      { event: "exit", code: 3, signal: null },
    ]);
  });

  it.skipIf(process.platform === "win32")(
    "are for the user only, even in a file that exists",
    async () => {
      for (const name of ["new.jsonl", "old.jsonl"]) {
        const path = join(folders.cwd, name);
        if (name === "old.jsonl") await writeFile(path, "old\n").then(() => chmod(path, 0o666));
        expect((await run([...withAgent(), "--record", name, "hello"], folders)).code).toBe(0);
        expect((await stat(path)).mode & 0o777).toBe(0o600);
        expect(await readFile(path, "utf8")).toMatch(/^\{"recording":"dragoman"/);
      }
    },
  );

  it("do not overwrite the file that a link leads to", async () => {
    const target = join(folders.cwd, "precious");
    await writeFile(target, "precious");
    await symlink(target, join(folders.cwd, "linked.jsonl"));
    await expectRefused(
      run([...withAgent(), "--record", "linked.jsonl", "hello"], folders),
      /^could not write --record linked.jsonl: .*is a link; name the file that it leads to/,
    );
    expect(await readFile(target, "utf8")).toBe("precious");
  });

  it.skipIf(process.platform === "win32")("do not wait for the reader of a pipe", async () => {
    execFileSync("mkfifo", [join(folders.cwd, "pipe")]);
    await expectRefused(
      run([...withAgent(), "--record", "pipe", "hello"], folders),
      /^could not write --record pipe: .*pipe is a pipe, not a file$/,
    );
  });
});

const io = () => ({ cwd: folders.cwd, now: () => Date.UTC(2026, 10, 16, 3, 4, 5, 678) });

const AGENT: SelectedAgent = {
  name: "a",
  command: "run-a",
  args: [],
  env: {},
  switches: {},
  from: "settings",
  entry: undefined,
};
const INITIALIZE =
  '{"id":1,"method":"initialize","params":{"clientInfo":{"name":"editor","version":"9"}}}';

describe("a decision in a recording", () => {
  const paths = [{ path: "/project/a.txt", realPath: undefined, isInside: true }];
  const entry = {
    agent: "a",
    owner: "",
    session: "s",
    method: "session/request_permission",
    kind: "edit",
    targets: { paths, commands: [], isComplete: true },
  } as const;
  it.each([
    [
      { ...entry, decision: "deny", by: { type: "rule", rule: 2, file: "rules.json" } } as const,
      { outcome: "denied", by: "rule", hint: "rule 2 of rules.json" },
    ],
    [
      { ...entry, decision: "allow", by: { type: "client", client: "editor" } } as const,
      { outcome: "allowed", by: "client", hint: undefined },
    ],
    [
      { ...entry, decision: "cancel", by: { type: "cancelled" } } as const,
      { outcome: "cancelled", by: "cancelled" },
    ],
  ])("of %o says who made it", (from, expected) => {
    expect(decisionOf(from)).toMatchObject({
      ...expected,
      kind: "edit",
      what: "session/request_permission /project/a.txt",
    });
  });
});

describe("the recording of a run", () => {
  it("is a file of its own that only the user can read, in a folder that is created", async () => {
    const recording = await openRunRecording("a/b", io());
    await recording?.end();
    const folder = join(folders.cwd, "a/b");
    const [name = "", ...more] = await readdir(folder);
    expect(more).toEqual([]);
    expect(name).toBe(`20261116T030405Z-${process.pid}.jsonl`);
    expect((await stat(join(folder, name))).mode & 0o777).toBe(0o600);
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
  });

  it("has the directions that the client sees, without secrets", async () => {
    const recording = await openRunRecording("c", io());
    if (!recording) throw new Error("no recording");
    const env = { KEY: "a-secret-value-of-the-settings" };
    const [client, far] = memoryPair();
    const agent = { ...AGENT, env };
    const proxied = proxyRecording([recording], {
      agent,
      cwd: "/project",
      secrets: secretHider(agent, []),
    });
    const channel = proxied.tapped(far);
    const [toHub, toClient] = [new Lines(channel), new Lines(client)];
    void client.send(INITIALIZE);
    await toHub.next();
    void channel.send(`{"id":1,"result":{"text":"${env.KEY}"}}`);
    expect(await toClient.next()).toContain(env.KEY);
    proxied.stderr(`the key is ${env.KEY}`);
    const exit = { code: 3, signal: null };
    const reason = { kind: "exited", exit, stderr: "" } as const;
    proxied.event({ type: "agent_ended", agent: "a", owner: "", cause: "died", reason });
    await proxied.end();
    const folder = join(folders.cwd, "c");
    const [name = ""] = await readdir(folder);
    const { header, lines, events } = parseRecording(await readFile(join(folder, name), "utf8"));
    expect(header).toMatchObject({
      agent: { name: "a", command: ["run-a"] },
      client: { name: "editor", version: "9" },
      cwd: "/project",
    });
    expect(lines).toMatchObject([
      { direction: "out", line: INITIALIZE },
      { direction: "in", line: expect.not.stringContaining(env.KEY) },
    ]);
    expect(events).toMatchObject([
      { event: "stderr", text: "the key is [redacted]" },
      { event: "exit", code: 3 },
      { event: "note", text: expect.stringContaining("it is restarted") as string },
    ]);
  });

  it("that cannot be written is a usage error", async () => {
    await writeFile(join(folders.cwd, "file"), "");
    await expect(openRunRecording("file/below", io())).rejects.toThrow(
      "could not create --record-dir file/below: ",
    );
    await mkdir(join(folders.cwd, "linked"));
    const name = `20261116T030405Z-${process.pid}.jsonl`;
    await symlink("/dev/null", join(folders.cwd, "linked", name));
    await expect(openRunRecording("linked", io())).rejects.toThrow("could not write --record-dir");
  });

  it("is not made without the option", async () => {
    expect(await openRunRecording(undefined, io())).toBeUndefined();
  });
});

it.skipIf(process.platform !== "linux")(
  "a run that cannot begin closes its recording",
  async () => {
    const argv = ["proxy", "--record-dir", "f", "--permissions", "missing.json", ...withAgent()];
    const { code } = await run(argv, folders);
    expect(code).toBe(2);
    expect(await readdir(join(folders.cwd, "f"))).toHaveLength(1);
    const open = await Promise.all(
      (await readdir("/proc/self/fd")).map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => "")),
    );
    expect(open.filter((path) => path.startsWith(folders.cwd))).toEqual([]);
  },
);
