import { connect } from "node:net";
import { once } from "node:events";
import { chmod, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { agentCommand, buildBin, type BuiltBin } from "./support/bin.ts";
import { isAlive } from "./support/run.ts";
import { buildWarmBin, warm, type WarmUser, warmUser } from "./support/warm.ts";

let bin: BuiltBin;
let newer: BuiltBin;
let user: WarmUser;
beforeAll(async () => {
  [bin, newer] = await Promise.all([buildWarmBin(), buildBin("dragoman", "9.9.0")]);
}, 60_000);
afterAll(async () => {
  await Promise.all([bin.remove(), newer.remove()]);
});
beforeEach(async () => {
  user = await warmUser(bin);
});
afterEach(() => user.remove());

/** The only hub, and its agents. */
async function theHub() {
  const [hub, ...more] = await user.hubs();
  expect(more).toEqual([]);
  const agents = hub?.["agents"] as { pid: number; starts: number; clients: number }[];
  const sessions = hub?.["sessions"] as { isBusy: boolean }[];
  return { pid: Number(hub?.["pid"]), agents, sessions };
}

describe("a warm agent", () => {
  it("stays for the next prompt", async () => {
    const expected = { code: 0, out: "Hello, world", err: "" };
    expect(await user.run(warm("hello"))).toMatchObject(expected);
    const before = await theHub();
    expect(await user.run(warm("hello"))).toMatchObject(expected);
    const after = await theHub();
    expect(after.pid).toBe(before.pid);
    expect(after.agents).toMatchObject([{ pid: before.agents[0]?.pid, starts: 1 }]);
  });

  it("does not exist without the option, and leaves no file behind", async () => {
    expect((await user.run(["--agent-command", agentCommand(), "hello"])).code).toBe(0);
    expect(await user.run(["hub", "status"])).toMatchObject({
      code: 0,
      out: "",
      err: "dragoman: no hub is running\n",
    });
    expect(await readdir(user.runtime)).toEqual([]);
  });

  it("is one for two callers that start at the same time", async () => {
    const argv = ["--warm", "1m", "-a", "demo", "-o", "simple", "hello"];
    const runs = await Promise.all([1, 2, 3].map(() => user.spawn(argv).ended));
    for (const run of runs) expect(run).toMatchObject({ code: 0, err: "" });
    expect((await theHub()).agents).toMatchObject([{ starts: 1 }]);
    expect(await user.records()).toHaveLength(1);
  });

  it("has the environment and the folder of its caller", async () => {
    const first = await user.run(warm("env"), { SECRET_TOKEN: "one" });
    expect(first.out).toBe(`one ${user.folders.cwd}`);
    expect((await user.run(warm("env"), { SECRET_TOKEN: "two" })).out).toMatch(/^two /);
    expect((await user.run(warm("env"))).out).toMatch(/^none /);
    expect((await user.run(warm("-C", user.folders.home, "env"))).out).toBe(
      `none ${user.folders.home}`,
    );
    expect((await theHub()).agents).toHaveLength(4);
  });

  it("is shared by runs whose arguments name a file that changes, such as a log", async () => {
    const log = join(user.folders.home, "agent.log");
    const argv = [
      "--warm",
      "1m",
      "--agent-command",
      agentCommand(`--log-file=${log}`, log),
      "hello",
    ];
    for (const text of ["", "one", "more than one"]) {
      await writeFile(log, text);
      expect((await user.run(argv)).code).toBe(0);
    }
    expect((await theHub()).agents).toMatchObject([{ starts: 1 }]);
  });

  it("keeps at most four idle copies and ends the least recently used", async () => {
    const pids: number[] = [];
    for (const token of ["a", "b", "c", "d", "a", "e", "f"]) {
      expect((await user.run(warm("env"), { SECRET_TOKEN: token })).code).toBe(0);
      await expect
        .poll(async () => (await theHub()).agents.length, { timeout: 10_000 })
        .toBeLessThanOrEqual(4);
      for (const { pid } of (await theHub()).agents) if (!pids.includes(pid)) pids.push(pid);
    }
    const [a, b, c, d, e, f] = pids;
    const left = (await theHub()).agents.map(({ pid }) => pid);
    expect(new Set(left)).toEqual(new Set([a, d, e, f]));
    await expect.poll(() => [b, c].some((pid) => isAlive(pid ?? 0))).toBe(false);
  });

  it("ends after its time, and the hub with it", async () => {
    await user.run(["--warm", "300ms", "--agent-command", agentCommand(), "hello"]);
    await expect.poll(() => user.records(), { timeout: 10_000 }).toEqual([]);
    expect(await readdir(join(user.runtime, "dragoman"))).toEqual([]);
    const { out } = await user.run(["hub", "logs"]);
    expect(out).toMatch(/agent_ended .*cause=idle/);
    expect(out).toMatch(/the hub ends: no client and no agent is left/);
  });

  it("gives the same exit codes as without a hub", async () => {
    for (const [turn, code] of [
      ["crash", 8],
      ["auth", 6],
    ] as const) {
      expect((await user.run(warm("--", turn))).code).toBe(code);
    }
    const timeout = await user.run(warm("--timeout", "300ms", "hang"));
    expect(timeout.code).toBe(3);
    const denied = await user.run(warm("--strict-permissions", "edit"));
    expect(denied.code).toBe(5);
    const missing = ["--warm", "1m", "--agent-command", "no-such-agent", "hello"];
    expect(await user.run(missing)).toMatchObject({
      code: 7,
      err: expect.stringMatching(/command not found/),
    });
  });

  it("is recorded, and its turn is cancelled by Ctrl-C", async () => {
    const file = join(user.folders.home, "record.jsonl");
    const run = user.start(warm("--record", file, "hang"));
    await run.io.out.waitFor("waiting");
    run.io.signal("SIGINT");
    expect((await run.ended).code).toBe(130);
    expect(await readFile(file, "utf8")).toContain("session/cancel");
    const { agents, sessions } = await theHub();
    expect(agents).toMatchObject([{ starts: 1, clients: 0 }]);
    expect(sessions).toMatchObject([{ isBusy: false }]);
  });
});

describe("what a hub must survive", () => {
  it("kill -9 of the command: its turn is cancelled, and the agent stays", async () => {
    const run = user.spawn(warm("hang"));
    await run.said("waiting");
    run.child.kill("SIGKILL");
    await run.ended;
    await expect.poll(async () => (await theHub()).sessions).toMatchObject([{ isBusy: false }]);
    const { agents } = await theHub();
    expect(agents).toMatchObject([{ starts: 1, clients: 0 }]);
  });

  it("kill -9 of the agent: the prompt fails and is not sent again", async () => {
    const run = user.start(warm("hang"));
    await run.io.out.waitFor("waiting");
    process.kill((await theHub()).agents[0]?.pid ?? 0, "SIGKILL");
    const { code, err } = await run.ended;
    expect(code).toBe(8);
    expect(err).toMatch(/died during the turn; the outcome of the prompt is unknown/);
    expect((await user.run(warm("hello"))).out).toBe("Hello, world");
  });

  it("kill -9 of the hub: the agent ends, and the next prompt starts another hub", async () => {
    const run = user.start(warm("hang"));
    await run.io.out.waitFor("waiting");
    const { pid, agents } = await theHub();
    process.kill(pid, "SIGKILL");
    const { code, err } = await run.ended;
    expect(code).toBe(8);
    expect(err).toMatch(/the hub with node ended during the turn; the outcome .* is unknown/);
    await expect.poll(() => isAlive(agents[0]?.pid ?? 0), { timeout: 10_000 }).toBe(false);
    expect(await user.records()).toHaveLength(1);
    expect((await user.run(warm("hello"))).out).toBe("Hello, world");
    expect((await theHub()).pid).not.toBe(pid);
    expect(await readdir(join(user.runtime, "dragoman"))).toHaveLength(2);
  });

  it("connections without the token", async () => {
    await user.run(warm("hello"));
    const [record] = await user.records();
    for (const line of [
      "",
      "x\n",
      '{"hello":{"protocol":1,"version":"1.2.3","token":"","nonce":""}}\n',
    ]) {
      const socket = connect(String(record?.["socket"]));
      socket.resume().end(line);
      await once(socket, "close");
      expect(socket.bytesRead).toBe(0);
    }
    expect((await user.run(["hub", "logs"])).out).toContain(
      "refused a connection without the token",
    );
    expect((await theHub()).agents).toMatchObject([{ starts: 1 }]);
  });
});

describe("without a usable runtime folder", () => {
  it("a prompt works, and one line says why its agent is not kept", async () => {
    const env = { XDG_RUNTIME_DIR: "/proc", TMPDIR: "/proc" };
    const { code, out, err } = await user.run(warm("hello"), env);
    expect({ code, out }).toEqual({ code: 0, out: "Hello, world" });
    expect(err).toMatch(/^dragoman: node is not kept warm: .*\n$/);
  });

  it("the folder of another mode is refused, and not used", async () => {
    await user.run(warm("hello"));
    await chmod(join(user.runtime, "dragoman"), 0o755);
    const { out, err } = await user.run(warm("hello"));
    expect(out).toBe("Hello, world");
    expect(err).toMatch(/not kept warm: .* can be used by others/);
    const status = await user.run(["hub", "status"]);
    expect(status.code).toBe(2);
    await chmod(join(user.runtime, "dragoman"), 0o700);
  });

  it("an agent that runs the command itself starts no hub", async () => {
    const { out, err } = await user.run(warm("hello"), { DRAGOMAN_TREE_x: "1" });
    expect(out).toBe("Hello, world");
    expect(err).toMatch(/not kept warm: a hub would end together with the agent/);
    expect(await user.records()).toEqual([]);
  });
});

describe("dragoman hub", () => {
  it("stops the hub once the running turn has ended, and is not needed twice", async () => {
    const run = user.start(warm("pause"));
    await run.io.out.waitFor("before");
    const { pid, agents } = await theHub();
    const stopped = await user.run(["hub", "stop"]);
    expect(stopped).toMatchObject({
      code: 0,
      out: "",
      err: `dragoman: stopped the hub of Dragoman 1.2.3, pid ${pid}\n`,
    });
    expect(await run.ended).toMatchObject({ code: 0, out: "before and after", err: "" });
    expect(isAlive(agents[0]?.pid ?? 0)).toBe(false);
    expect(await user.run(["hub", "stop"])).toMatchObject({
      code: 0,
      err: expect.stringMatching(/no hub is running/),
    });
  });

  it("stops the hub at once after the time that running turns have", async () => {
    const run = user.start(warm("hang"));
    await run.io.out.waitFor("waiting");
    expect((await user.run(["hub", "stop", "--timeout", "100ms"])).code).toBe(0);
    expect((await run.ended).code).toBe(8);
  });

  it("prints the hub, its agents and sessions", async () => {
    await user.run(warm("hello"));
    const { code, out } = await user.run(["hub", "status"]);
    expect(code).toBe(0);
    expect(out).toMatch(/^hub of Dragoman 1\.2\.3, pid \d+, ready, started just now\n\nAGENT /);
    expect(out).toMatch(/^node +running +\d+ +0 +1 +1$/m);
    expect(out).toMatch(/^s1 +node +idle +0 +0 +\//m);
  });

  it("refuses words that it does not know", async () => {
    expect((await user.run(["hub", "frob"])).code).toBe(2);
    expect((await user.run(["hub", "status", "x"])).code).toBe(2);
    expect((await user.run(["hub", "logs", "--timeout", "1s"])).code).toBe(2);
    expect(await user.run(["hub", "logs"])).toMatchObject({
      code: 0,
      err: expect.stringMatching(/no hub has written/),
    });
  });
});

describe("two versions", () => {
  it("have a hub each, and the older one ends once its turns have ended", async () => {
    const run = user.start(warm("hang"));
    await run.io.out.waitFor("waiting");
    const old = await theHub();
    expect((await user.spawn(warm("hello"), newer).ended).out).toBe("Hello, world");
    await expect
      .poll(() => user.hubs())
      .toMatchObject([
        { version: "9.9.0", state: "ready" },
        { version: "1.2.3", state: "draining" },
      ]);
    run.io.signal("SIGINT");
    expect((await run.ended).code).toBe(130);
    await expect.poll(() => isAlive(old.pid), { timeout: 10_000 }).toBe(false);
    // An older command does not end a newer hub.
    expect((await user.run(warm("hello"))).out).toBe("Hello, world");
    expect(await user.hubs()).toMatchObject([
      { version: "1.2.3", state: "ready" },
      { version: "9.9.0", state: "ready" },
    ]);
  });
});
