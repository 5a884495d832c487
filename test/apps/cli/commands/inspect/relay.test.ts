// `dragoman inspect -- CMD` as editors start it: a real process between them and a real agent.
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { afterEach, describe, expect, it } from "vitest";
import { Editor } from "../../../../host/hub/editor.ts";
import { processesWithHome } from "../../../../support/droid/leftovers.ts";
import { AGENT } from "../../support/bin.ts";
import { shown } from "./shown.ts";
import { builtBin, foldersForEach } from "../setup.ts";

const bin = builtBin();
const folders = foldersForEach();
let started: ChildProcessWithoutNullStreams[] = [];
afterEach(async () => {
  for (const child of started) child.kill("SIGKILL");
  started = [];
  await expect.poll(() => processesWithHome(folders.home), { timeout: 20_000 }).toEqual([]);
});

const env = () => ({ PATH: process.env["PATH"] ?? "/usr/bin:/bin", HOME: folders.home });
const command = (...args: string[]): [string, ...string[]] => [
  process.execPath,
  bin.file,
  "inspect",
  "--no-open",
  ...args,
];

interface Relayed {
  readonly child: ChildProcessWithoutNullStreams;
  readonly out: () => Buffer;
  readonly err: () => string;
  readonly ended: Promise<number | null>;
}

function relay(...args: string[]): Relayed {
  const [program, ...rest] = command(...args);
  const child = spawn(program, rest, { cwd: folders.cwd, env: env() });
  started.push(child);
  const chunks: Buffer[] = [];
  let err = "";
  child.stdout.on("data", (chunk: Buffer) => chunks.push(chunk));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (err += text));
  child.stdin.on("error", () => {});
  const ended = once(child, "close").then(([code]) => code);
  return { child, out: () => Buffer.concat(chunks), err: () => err, ended };
}

describe("the wire", () => {
  it("passes every byte on as it is, in both directions", async () => {
    const { child, out, err, ended } = relay("--", "cat");
    const bytes = Buffer.concat([
      Buffer.from('{"jsonrpc": "2.0",  "id":1,"method":"x"}\r\n\n\n  \n'),
      Buffer.from([0xff, 0xfe, 0x00, 0x0a, 0xc3]),
      Buffer.from(`${"ü".repeat(300_000)}\nnot a message\u001b[2J\n`),
      Buffer.from("no newline at the end"),
    ]);
    child.stdin.end(bytes);
    expect(await ended).toBe(0);
    expect(out().equals(bytes)).toBe(true);
    expect(err()).toMatch(/^dragoman: inspecting cat at http:\/\/127\.0\.0\.1:\d+\/#token=\S+\n$/);
  });

  it("shows a session while it runs, with the agent's stderr and its client", async () => {
    const editor = new Editor({
      command: command("--", "sh", "-c", `echo from the agent >&2; exec node '${AGENT}'`),
      pidFile: `${folders.home}/pids`,
      env: env(),
      cwd: folders.cwd,
      answer: async () => ({ outcome: { outcome: "cancelled" } }),
    });
    expect(await editor.initialize()).toMatchObject({ protocolVersion: 1 });
    const session = await editor.newSession(folders.cwd);
    expect(await editor.prompt(session, "hello")).toEqual({ stopReason: "end_turn" });
    expect(editor.text(session)).toBe("Hello, world");
    const { header, lines, events } = await (await shown(() => editor.stderr))(8);
    expect(header).toMatchObject({ redacted: true, agent: { name: "sh" }, cwd: folders.cwd });
    expect(lines[0]).toMatchObject({ direction: "out" });
    expect(lines[0]?.line).toContain('"initialize"');
    expect(lines[1]).toMatchObject({ direction: "in" });
    expect(events).toContainEqual(
      expect.objectContaining({ event: "stderr", text: "from the agent\n" }),
    );
    expect(editor.stderr).toContain("from the agent");
    editor.end();
    expect(await editor.ended).toBe(0);
  });

  it("waits for a client that does not read, and loses nothing", async () => {
    const size = 8 * 1024 * 1024;
    const { child, ended } = relay("--", "sh", "-c", `head -c ${size} /dev/zero; cat >/dev/null`);
    child.stdout.pause();
    await expect.poll(() => child.stdout.readableLength).toBeGreaterThan(0);
    let received = 0;
    child.stdout.on("data", (chunk: Buffer) => {
      received += chunk.length;
      if (received === size) child.stdin.end();
    });
    child.stdout.resume();
    expect(await ended).toBe(0);
    expect(received).toBe(size);
  });
});

describe("an end", () => {
  it("of the agent ends the wire with its last words, and is named", async () => {
    const { out, err, ended } = relay("--", "sh", "-c", "echo last words; exit 3");
    expect(await ended).toBe(8);
    expect(out().toString()).toBe("last words\n");
    expect(err()).toMatch(/dragoman: sh ended \(exited with code 3\)\n$/);
  });

  it("of an agent that is done is not a failure", async () => {
    const { ended } = relay("--", "true");
    expect(await ended).toBe(0);
  });

  it("of the client ends an agent that ignores the end of its input, and all that it started", async () => {
    const { child, ended } = relay("--", "sh", "-c", "trap '' TERM; sleep 1000 & sleep 1000");
    await expect.poll(() => processesWithHome(folders.home)).not.toEqual([]);
    child.stdin.end();
    expect(await ended).toBe(0);
    expect(await processesWithHome(folders.home)).toEqual([]);
  });

  it("of the client's output ends the agent too", async () => {
    const { child, ended } = relay("--", "sh", "-c", "while sleep 0.01; do echo x; done");
    await once(child.stdout, "data");
    child.stdout.destroy();
    expect(await ended).toBe(0);
  });

  it.each([
    ["SIGTERM", 143],
    ["SIGINT", 130],
  ] as const)("by %s ends the agent", async (signal, code) => {
    const { child, err, ended } = relay("--", "sh", "-c", "echo ready; sleep 1000");
    await once(child.stdout, "data");
    child.kill(signal);
    expect(await ended).toBe(code);
    expect(err()).not.toContain("internal error");
  });

  it("by SIGKILL leaves nothing running", async () => {
    const { child, ended } = relay("--", "sh", "-c", "echo ready; sleep 1000");
    await once(child.stdout, "data");
    child.kill("SIGKILL");
    await ended;
    // The check after each test waits until the agent is gone.
  });

  it("before the beginning is reported: an agent that does not exist", async () => {
    const { out, err, ended } = relay("--", "no-such-agent");
    expect(await ended).toBe(7);
    expect(out()).toHaveLength(0);
    expect(err()).toContain("no-such-agent");
  });
});
