import { mkdir, readdir, readFile, readlink, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { SelectedAgent } from "../../../../src/apps/cli/agents/select.ts";
import { secretHider } from "../../../../src/apps/cli/connect/secrets.ts";
import {
  decisionOf,
  openRunRecording,
  proxyRecording,
} from "../../../../src/apps/cli/connect/proxy-recording.ts";
import { memoryPair, parseRecording } from "../../../../src/transport/wire/index.ts";
import { Lines } from "../../../host/hub/lines.ts";
import { run, withAgent } from "../support/run.ts";
import { foldersForAll } from "../commands/setup.ts";

const folders = foldersForAll();

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
