// Closing a channel ends its process and everything that process started.
import { describe, expect, it, onTestFinished } from "vitest";
import {
  openProcess,
  type ProcessChannel,
} from "../../../../src/transport/wire/process/channel.ts";
import { isAlive, kill } from "../../../base/process/alive.ts";
import { hasLimits } from "../../../base/process/limits.ts";

/** Prints its pid, then ignores EOF and SIGTERM. */
const STUBBORN = `trap "" TERM HUP INT; echo $$; while :; do sleep 1; done`;
/** Prints its pid and exits at EOF. */
const OBEDIENT = `echo $$; cat >/dev/null`;

interface Started {
  readonly channel: ProcessChannel;
  readonly pids: readonly number[];
}

/** Starts a script and waits until it has printed `count` pids. */
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
  it("first closes stdin, so that a process can exit by itself", async () => {
    const { channel } = await start("echo $$; cat >/dev/null; echo bye >&2; exit 5", 1);
    expect(await channel.close()).toEqual({
      kind: "closed",
      exit: { code: 5, signal: null },
      stderr: "bye\n",
    });
  });

  it("writes the lines that were sent before it closes stdin", async () => {
    const { channel } = await start("echo $$; cat >&2", 1);
    void channel.send("last line");
    expect(await channel.close()).toMatchObject({ stderr: "last line\n" });
  });

  it("then sends SIGTERM, so that a process that ignores EOF can clean up", async () => {
    const { channel } = await start(
      `trap "echo cleaned >&2; exit 6" TERM; echo $$; while :; do sleep 0.01; done`,
      1,
    );
    // The shell may also report that its sleep was terminated.
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

  it("does not wait out the stages when the process exits at once", async () => {
    const channel = await openProcess({
      command: "cat",
      stages: { eofMs: 3_600_000, termMs: 3_600_000 },
    });
    channel.open(() => {});
    expect(await channel.close()).toMatchObject({ exit: { code: 0 } });
  });

  it("does not wait for a process that does not read its stdin", async () => {
    const { channel, pids } = await start(STUBBORN, 1);
    for (let n = 0; n < 50; n++) void channel.send("x".repeat(64 * 1024));
    expect(await channel.close()).toMatchObject({ exit: { signal: "SIGKILL" } });
    expect(pids.filter(isAlive)).toEqual([]);
  });

  it("does not wait for a process that never stops writing", async () => {
    const { channel, pids } = await start(`trap "" TERM; echo $$; while :; do echo x; done`, 1);
    expect(await channel.close()).toMatchObject({ exit: { signal: "SIGKILL" } });
    expect(pids.filter(isAlive)).toEqual([]);
  });

  const trees = [
    {
      what: "a wrapper around another process",
      script: `echo $$; sh -c '${OBEDIENT}'; true`,
      count: 2,
    },
    {
      what: "a wrapper around a process that ignores SIGTERM",
      script: `echo $$; sh -c '${STUBBORN}'; true`,
      count: 2,
    },
    {
      what: "three nested wrappers",
      script: `echo $$; sh -c "echo \\$\\$; sh -c '${STUBBORN.replaceAll("$", "\\$").replaceAll('"', '\\"')}'; true"; true`,
      count: 3,
    },
    {
      what: "a grandchild that left the group",
      script: `setsid sh -c '${STUBBORN}' & echo $$; cat >/dev/null`,
      count: 2,
    },
    {
      what: "a daemon that left its group and parent",
      script: `(setsid sh -c '${STUBBORN}' &); echo $$; cat >/dev/null`,
      count: 2,
    },
    {
      what: "a daemon that left its group, parent and pipes",
      script: `(setsid sh -c 'echo $$; exec </dev/null >/dev/null 2>&1; trap "" TERM; while :; do sleep 1; done' &); echo $$; cat >/dev/null`,
      count: 2,
    },
    {
      what: "a daemon that left its group, parent and environment",
      script: `(env -i PATH="$PATH" setsid sh -c '${STUBBORN}' &); echo $$; cat >/dev/null`,
      count: 2,
      needsLimits: true,
    },
    {
      what: "a daemon that also left its pipes, and starts another one",
      script: `(env -i PATH="$PATH" setsid sh -c 'echo $$; setsid sh -c "echo \\$\\$; exec sleep 1000 </dev/null >/dev/null 2>&1" & exec sleep 1000 </dev/null >/dev/null 2>&1' &); echo $$; cat >/dev/null`,
      count: 3,
      needsLimits: true,
    },
    {
      what: "many children",
      script: `for i in 1 2 3 4 5 6 7 8 9 10; do sh -c '${STUBBORN}' & done; echo $$; wait`,
      count: 11,
    },
  ];

  const findable = trees.filter(({ needsLimits }) => hasLimits || needsLimits !== true);

  it.each(findable)("ends $what", async ({ script, count }) => {
    const { channel, pids } = await start(script, count);
    await channel.close();
    expect(pids.filter(isAlive)).toEqual([]);
  });

  it.each(findable)(
    "is not needed when the leader dies: $what is ended too",
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

  it("twice at the same time has the same result as once", async () => {
    const { channel, pids } = await start(STUBBORN, 1);
    const [one, two] = await Promise.all([channel.close(), channel.close()]);
    expect(one).toBe(two);
    expect(pids.filter(isAlive)).toEqual([]);
  });

  it("works while the process is exiting by itself", async () => {
    const { channel } = await start("echo $$; exit 4", 1);
    expect(await channel.close()).toMatchObject({ exit: { code: 4 } });
  });
});

// A process that left its group and parent, cleared its environment and changed its limits cannot be
// found.
describe("a daemon that cannot be found and holds stdout open", () => {
  const withClearedEnv = (loop: string): string =>
    `((ulimit -S -w unlimited || ulimit -S -x unlimited) 2>/dev/null; setsid env -i PATH="$PATH" sh -c 'echo $$; ${loop}' &); echo $$; read -r go; echo last; exit 9`;

  it.each([
    { what: "silently", script: withClearedEnv("while :; do sleep 1; done") },
    { what: "and keeps writing", script: withClearedEnv("while :; do echo 0; sleep 0.05; done") },
  ])("$what does not keep the channel from closing", async ({ script }) => {
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
