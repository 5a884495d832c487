// `--inspect` with other commands.
import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { parseRecording } from "../../../../src/transport/wire/index.ts";
import { Editor } from "../../../host/hub/editor.ts";
import { cleanUp } from "../../../transport/remote/rig.ts";
import { startServe } from "../serve/process.ts";
import { AGENT, buildBin, type BuiltBin } from "../support/bin.ts";
import { run, scratch, type Scratch, start, withAgent } from "../support/run.ts";
import { shown } from "../commands/inspect/shown.ts";

let folders: Scratch;
beforeEach(async () => {
  folders = await scratch();
});
afterEach(async () => {
  await cleanUp();
  await folders.remove();
});

describe("a prompt with --inspect", () => {
  it("shows the run, and on a terminal stays until Ctrl-C", async () => {
    const argv = ["--inspect", "--no-open", "--record", "run.jsonl", ...withAgent(), "hello"];
    const { io, ended } = start(argv, { ...folders, stderrTty: true });
    await io.err.waitFor("the page stays open until Ctrl-C");
    expect(io.out.text).toContain("Hello, world");
    const file = parseRecording(await readFile(join(folders.cwd, "run.jsonl"), "utf8"));
    const read = await shown(() => io.err.text);
    const recording = await read(file.lines.length + file.events.length);
    expect(recording.header).toMatchObject({ client: { name: "dragoman" }, redacted: true });
    expect(recording.lines).toEqual(
      file.lines.map(({ direction, line }) => ({ ms: expect.any(Number), direction, line })),
    );
    expect(recording.events.at(-1)).toMatchObject({ event: "exit" });
    io.signal("SIGINT");
    expect(await ended).toMatchObject({ code: 0 });
    const [address = ""] = /http:\/\/127\.0\.0\.1:\d+/.exec(io.err.text) ?? [];
    await expect(fetch(address)).rejects.toThrow();
  });

  it("ends with the run in a script, with its exit code", async () => {
    const argv = ["--inspect", "--no-open", "--url-file", "url", ...withAgent(), "hello"];
    const { code, out, err } = await run(argv, folders);
    expect({ code, out }).toMatchObject({ code: 0, out: expect.stringContaining("Hello, world") });
    expect(err).toMatch(/inspecting node at http:\/\/127\.0\.0\.1:\d+\/#token=/);
    await expect(stat(join(folders.cwd, "url"))).rejects.toThrow("ENOENT");
  });

  it.each(["--no-open", "--keep-secrets", "--port=1", "--url-file=x"])(
    "is needed for %s",
    async (option) => {
      const { code, last } = await run([option, ...withAgent(), "hello"], folders);
      const [name = ""] = option.split("=");
      expect({ code, last }).toEqual({ code: 2, last: `${name} needs --inspect` });
    },
  );
});

describe("a chat with --inspect", () => {
  it("shows its turns, and ends with the chat", async () => {
    const argv = ["chat", "--inspect", "--no-open", ...withAgent()];
    const { code, err } = await run(argv, { ...folders, stdin: "hello\n/exit\n" });
    expect(code).toBe(0);
    expect(err).toContain("inspecting node at http://127.0.0.1:");
  });
});

describe("as a process", () => {
  let bin: BuiltBin;
  beforeAll(async () => {
    bin = await buildBin();
  }, 120_000);
  afterAll(() => bin.remove());

  it("a proxy shows its client's messages and the agent's stderr", async () => {
    const agent = ["sh", "-c", `echo from the agent >&2; exec node '${AGENT}'`];
    const editor = new Editor({
      command: [process.execPath, bin.file, "proxy", "--inspect", "--no-open", "--", ...agent],
      pidFile: `${folders.home}/pids`,
      env: { PATH: process.env["PATH"] ?? "/usr/bin:/bin", HOME: folders.home },
      cwd: folders.cwd,
      answer: async () => ({ outcome: { outcome: "cancelled" } }),
    });
    await editor.initialize();
    const session = await editor.newSession(folders.cwd);
    await editor.prompt(session, "hello");
    const { lines, events } = await (await shown(() => editor.stderr))(7);
    expect(lines[0]?.line).toContain('"initialize"');
    expect(lines[0]?.direction).toBe("out");
    expect(events).toContainEqual(expect.objectContaining({ text: "from the agent\n" }));
    editor.end();
    expect(await editor.ended).toBe(0);
  });

  it("a server shows each process of its agents", async () => {
    const server = await startServe({
      bin: bin.file,
      folders,
      args: ["--inspect", "--no-open"],
    });
    const token = ["--token-file", join(folders.home, "token")];
    const client = ["--agent-url", server.webSocketUrl, ...token, "-C", folders.cwd];
    expect(await run([...client, "say hello there"], folders)).toMatchObject({ code: 0 });
    const { header, lines } = await (await shown(() => server.err()))(6);
    expect(header).toMatchObject({ agent: { name: "node" } });
    expect(lines[0]).toMatchObject({ direction: "out" });
    expect(lines.map(({ line }) => line).join("\n")).toContain("say hello there");
  });

  it("a server shows why a request of its agent was denied", async () => {
    const rules = join(folders.home, "rules.json");
    await writeFile(
      rules,
      JSON.stringify({ version: 1, rules: [{ decision: "deny", kind: "execute" }] }),
    );
    const args = ["--inspect", "--no-open", "--permissions", rules];
    const server = await startServe({ bin: bin.file, folders, args });
    const token = ["--token-file", join(folders.home, "token")];
    const client = ["--agent-url", server.webSocketUrl, ...token, "-C", folders.cwd];
    await run([...client, "permission ls"], folders);
    const page = await shown(() => server.err());
    await expect
      .poll(async () => (await page(6)).events, { timeout: 20_000 })
      .toContainEqual(
        expect.objectContaining({
          what: "session/request_permission",
          outcome: "denied",
          by: "rule",
        }),
      );
  });
});
