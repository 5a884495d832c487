import { tmpdir } from "node:os";
import { describe, expect, it } from "vitest";
import { readFile, stat } from "node:fs/promises";
import { WarmAgents } from "../../../../src/apps/cli/warm/daemon.ts";
import { REDACTED } from "../../../../src/base/index.ts";
import type { WarmAgent } from "../../../../src/apps/cli/warm/frames.ts";
import { HubLog, logFiles } from "../../../../src/apps/cli/warm/hub-log.ts";
import { foldersForEach } from "../commands/setup.ts";

const described = (key: string, script = "", secrets: readonly string[] = []): WarmAgent => ({
  name: "mine",
  key,
  command: process.execPath,
  args: ["-e", script],
  cwd: tmpdir(),
  env: { ONLY: "this", PATH: "/bin" },
  secrets,
});

describe("warm agents", () => {
  it("are shared by callers with the same key, and stay as long as the last one says", () => {
    const agents = new WarmAgents(() => {});
    const [first] = agents.use(described("a"), 1000, false);
    const [second] = agents.use(described("a"), 5000, false);
    const [other] = agents.use(described("b"), 1000, false);
    expect(second).toBe(first);
    expect(first.idleMs).toBe(5000);
    expect(other.key).not.toBe(first.key);
  });

  it("are others after a login, for all later callers", () => {
    const agents = new WarmAgents(() => {});
    const [before] = agents.use(described("a"), 1000, false);
    const [fresh] = agents.use(described("a"), 1000, true);
    const [after] = agents.use(described("a"), 1000, false);
    expect(fresh.key).not.toBe(before.key);
    expect(after).toBe(fresh);
  });

  it("get the environment of their caller and nothing else, and their stderr is logged without secrets", async () => {
    const lines: string[] = [];
    const agents = new WarmAgents((line) => lines.push(line));
    const script =
      "console.log(Object.keys(process.env).filter((n) => !n.startsWith('DRAGOMAN_')).sort().join());" +
      "console.error('the key is hunter2-hunter2, see https://h/?key=hunter3')";
    const [agent] = agents.use(described("a", script, ["hunter2-hunter2"]), 1000, false);
    const channel = await agent.open();
    const out: string[] = [];
    channel.open((line) => out.push(line));
    await channel.closed;
    expect(out).toEqual(["ONLY,PATH"]);
    expect(lines).toEqual([`mine: the key is ${REDACTED}, see https://h/?key=${REDACTED}`]);
  });
});

const folders = foldersForEach();

it("is private, has one line for each event, and cannot act on a terminal", async () => {
  const log = new HubLog(folders.home);
  log.line("one\ntwo \u001b[31mred");
  const [, newer] = logFiles(folders.home);
  expect(await readFile(newer, "utf8")).toMatch(/^\S+Z \d+ one two .*red\n$/);
  expect((await stat(newer)).mode & 0o777).toBe(0o600);
});

it("keeps two files of limited size", async () => {
  const log = new HubLog(folders.home, 1000);
  const second = new HubLog(folders.home, 1000);
  for (let n = 0; n < 200; n++) {
    log.line(`first ${n}`);
    second.line(`second ${n}`);
  }
  const [older, newer] = logFiles(folders.home);
  for (const file of [older, newer]) expect((await stat(file)).size).toBeLessThan(1100);
  const text = (await readFile(older, "utf8")) + (await readFile(newer, "utf8"));
  expect(text).toContain("first 199");
  expect(text).toContain("second 199");
});
