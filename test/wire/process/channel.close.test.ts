// How a process is ended: nothing of it may stay.
import { describe, expect, it, onTestFinished } from "vitest";
import { openProcess, type ProcessChannel } from "../../../src/wire/process/channel.ts";
import { isAlive, kill } from "./alive.ts";

/** Prints its pid, then hears neither EOF nor SIGTERM. */
const STUBBORN = `trap "" TERM HUP INT; echo $$; while :; do sleep 1; done`;
const MEEK = `echo $$; cat >/dev/null`;

interface Started {
  readonly channel: ProcessChannel;
  readonly pids: readonly number[];
}

/** Starts a script and waits until it has printed so many pids. */
async function start(script: string, count: number): Promise<Started> {
  const channel = await openProcess({
    command: "sh",
    args: ["-c", script],
    stages: { eofMs: 150, termMs: 150 },
  });
  const pids: number[] = [];
  await new Promise<void>((resolve) => {
    channel.open((line) => {
      if (pids.length < count) pids.push(Number(line));
      if (pids.length === count) resolve();
    });
  });
  onTestFinished(() => kill(pids));
  return { channel, pids };
}

describe("closing", () => {
  it("first closes stdin: a process that obeys goes in its own way", async () => {
    const { channel } = await start("echo $$; cat >/dev/null; echo bye >&2; exit 5", 1);
    expect(await channel.close()).toEqual({
      kind: "closed",
      exit: { code: 5, signal: null },
      stderr: "bye\n",
    });
  });

  it("writes what was sent before it closes stdin", async () => {
    const { channel } = await start("echo $$; cat >&2", 1);
    void channel.send("last words");
    expect(await channel.close()).toMatchObject({ stderr: "last words\n" });
  });

  it("then sends SIGTERM: a process that ignores the end of stdin can clean up", async () => {
    const { channel } = await start(
      `trap "echo cleaned >&2; exit 6" TERM; echo $$; while :; do sleep 0.01; done`,
      1,
    );
    // The shell may add a word of its own about the sleep that was ended along with it.
    expect(await channel.close()).toMatchObject({
      exit: { code: 6 },
      stderr: expect.stringContaining("cleaned\n"),
    });
  });

  it("then sends SIGKILL", async () => {
    const { channel, pids } = await start(STUBBORN, 1);
    expect(await channel.close()).toMatchObject({
      kind: "closed",
      exit: { code: null, signal: "SIGKILL" },
    });
    expect(pids.filter(isAlive)).toEqual([]);
  });

  it("does not wait for the stages of a process that goes at once", async () => {
    const channel = await openProcess({
      command: "cat",
      stages: { eofMs: 3_600_000, termMs: 3_600_000 },
    });
    channel.open(() => {});
    expect(await channel.close()).toMatchObject({ exit: { code: 0 } });
  });

  it("does not wait for a process that does not read what was sent", async () => {
    const { channel, pids } = await start(STUBBORN, 1);
    for (let n = 0; n < 50; n++) void channel.send("x".repeat(64 * 1024));
    expect(await channel.close()).toMatchObject({ exit: { signal: "SIGKILL" } });
    expect(pids.filter(isAlive)).toEqual([]);
  });

  it("does not wait for a process that writes without end", async () => {
    const { channel, pids } = await start(`trap "" TERM; echo $$; while :; do echo x; done`, 1);
    expect(await channel.close()).toMatchObject({ exit: { signal: "SIGKILL" } });
    expect(pids.filter(isAlive)).toEqual([]);
  });

  const trees = [
    {
      what: "a wrapper around another process",
      script: `echo $$; sh -c '${MEEK}'; true`,
      count: 2,
    },
    {
      what: "a wrapper around a stubborn one",
      script: `echo $$; sh -c '${STUBBORN}'; true`,
      count: 2,
    },
    {
      what: "wrappers three deep",
      script: `echo $$; sh -c "echo \\$\\$; sh -c '${STUBBORN.replaceAll("$", "\\$").replaceAll('"', '\\"')}'; true"; true`,
      count: 3,
    },
    {
      what: "a grandchild that left the group",
      script: `setsid sh -c '${STUBBORN}' & echo $$; cat >/dev/null`,
      count: 2,
    },
    {
      what: "a daemon that left group and parent",
      script: `(setsid sh -c '${STUBBORN}' &); echo $$; cat >/dev/null`,
      count: 2,
    },
    {
      what: "a daemon that left group, parent and pipes",
      script: `(setsid sh -c 'echo $$; exec </dev/null >/dev/null 2>&1; trap "" TERM; while :; do sleep 1; done' &); echo $$; cat >/dev/null`,
      count: 2,
    },
    {
      what: "many children",
      script: `for i in 1 2 3 4 5 6 7 8 9 10; do sh -c '${STUBBORN}' & done; echo $$; wait`,
      count: 11,
    },
  ];

  it.each(trees)("ends $what", async ({ script, count }) => {
    const { channel, pids } = await start(script, count);
    await channel.close();
    expect(pids.filter(isAlive)).toEqual([]);
  });

  it.each(trees)(
    "and so does the death of the leader itself, for $what",
    async ({ script, count }) => {
      const { channel, pids } = await start(script, count);
      process.kill(channel.pid, "SIGKILL");
      expect(await channel.closed).toMatchObject({ kind: "exited", exit: { signal: "SIGKILL" } });
      expect(pids.filter(isAlive)).toEqual([]);
    },
  );

  it("does not touch the processes of another channel", async () => {
    const first = await start(STUBBORN, 1);
    const second = await start(`(setsid sh -c '${STUBBORN}' &); echo $$; cat >/dev/null`, 2);
    await first.channel.close();
    expect(second.pids.every(isAlive)).toBe(true);
    await second.channel.close();
    expect(second.pids.filter(isAlive)).toEqual([]);
  });

  it("twice at the same time is the same as once", async () => {
    const { channel, pids } = await start(STUBBORN, 1);
    const [one, two] = await Promise.all([channel.close(), channel.close()]);
    expect(one).toBe(two);
    expect(pids.filter(isAlive)).toEqual([]);
  });

  it("while the process is going by itself is fine", async () => {
    const { channel } = await start("echo $$; exit 4", 1);
    expect(await channel.close()).toMatchObject({ exit: { code: 4 } });
  });
});

// Nothing can find a process that left its group and parent and also wiped its environment.
describe("a daemon that cannot be found and holds stdout open", () => {
  const wiped = (loop: string): string =>
    `(setsid env -i PATH="$PATH" sh -c 'echo $$; ${loop}' &); echo $$; read -r go; echo last; exit 9`;

  it.each([
    { what: "silently", script: wiped("while :; do sleep 1; done") },
    { what: "and keeps talking", script: wiped("while :; do echo 0; sleep 0.05; done") },
  ])("$what does not keep the end from being told", async ({ script }) => {
    const channel = await openProcess({ command: "sh", args: ["-c", script] });
    const lines: string[] = [];
    channel.open((line) => {
      lines.push(line);
      if (lines.filter((one) => Number(one) > 0).length === 2) void channel.send("go");
    });
    onTestFinished(() => kill(lines.map(Number).filter((pid) => pid > 0)));
    expect(await channel.closed).toMatchObject({ kind: "exited", exit: { code: 9 } });
    expect(lines).toContain("last");
  });
});
