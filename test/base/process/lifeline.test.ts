// A host that gets SIGKILL cannot end its processes anymore, so the lifeline has to.
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openProcess, type ProcessOptions } from "../../../src/transport/wire/process/channel.ts";
import { agentPath, bundleOf, type Bundle } from "../../support/agents/bundle.ts";
import { chain } from "./chain.ts";
import { isAlive, kill, untilNone, withArgument } from "./alive.ts";
import { hasLimits } from "./limits.ts";

const STUBBORN = `trap "" TERM HUP INT; echo $$; while :; do sleep 1; done`;
const HOST = agentPath("host.mjs");

let library: Bundle;
beforeAll(async () => {
  library = await bundleOf("src/entries/wire.ts");
});
afterAll(() => library.remove());

// The tests mostly wait, so they run concurrently. Processes that a failed test leaves are killed
// at the end.
const leftovers: (() => void)[] = [];
const atEnd = (end: () => void): void => void leftovers.push(end);
afterAll(() => leftovers.forEach((end) => end()));

const hostArgs = (options: ProcessOptions): string[] => [
  HOST,
  library.url,
  JSON.stringify(options),
];

function startHost(script: string): ChildProcess {
  const options = { command: "sh", args: ["-c", script] };
  const host = spawn(process.execPath, hostArgs(options), { stdio: ["ignore", "pipe", "inherit"] });
  atEnd(() => void host.kill("SIGKILL"));
  return host;
}

async function pidsFrom(host: ChildProcess, count: number): Promise<number[]> {
  const pids: number[] = [];
  for await (const line of createInterface(host.stdout!)) {
    if (pids.push(Number(line)) === count) break;
  }
  atEnd(() => kill(pids));
  return pids;
}

describe.concurrent("when the host gets SIGKILL", () => {
  it.each([
    { what: "a child that ignores the end of stdin and SIGTERM", script: STUBBORN, count: 1 },
    {
      what: "a child and its own children",
      script: `echo $$; sh -c '${STUBBORN}'; true`,
      count: 2,
    },
    {
      what: "a daemon that left the group",
      script: `(setsid sh -c '${STUBBORN}' &); ${STUBBORN}`,
      count: 2,
    },
    ...(hasLimits
      ? [
          {
            what: "a daemon that left the group and its environment",
            script: `(env -i PATH="$PATH" setsid sh -c '${STUBBORN}' &); ${STUBBORN}`,
            count: 2,
          },
        ]
      : []),
  ])("the lifeline ends $what", async ({ script, count }) => {
    const host = startHost(script);
    const pids = await pidsFrom(host, count);
    expect(pids.every(isAlive)).toBe(true);
    host.kill("SIGKILL");
    await once(host, "exit");
    await untilNone(() => pids.filter(isAlive));
  });

  it.runIf(hasLimits)("the lifeline ends a process that keeps starting itself again", async () => {
    const { script, ended } = chain("setsid");
    const host = startHost(`${script} cat`);
    await once(host.stdout!, "data");
    host.kill("SIGKILL");
    await ended;
  });

  it("the lifeline ends a process that was just being started", async () => {
    const word = `dragoman-start-${process.pid}`;
    const options = { command: "sh", args: ["-c", STUBBORN, word] };
    atEnd(() => kill(withArgument(word)));
    for (const turns of [0, 1, 2, 5]) {
      const code = `
        const { openProcess } = await import(${JSON.stringify(library.url)});
        void openProcess(${JSON.stringify(options)});
        let turns = ${turns};
        const next = () => turns-- > 0 ? setImmediate(next) : process.kill(process.pid, "SIGKILL");
        next();`;
      const host = spawn(process.execPath, ["--input-type=module", "-e", code], {
        stdio: "inherit",
      });
      expect(await once(host, "exit")).toEqual([null, "SIGKILL"]);
    }
    await untilNone(() => withArgument(word));
  });
});

it.concurrent("a host that exits without closing its channel leaves no process behind", async () => {
  const word = `dragoman-leave-${process.pid}`;
  const options = { command: "sh", args: ["-c", STUBBORN, word] };
  const code = `
    const { openProcess } = await import(${JSON.stringify(library.url)});
    const channel = await openProcess(${JSON.stringify(options)});
    channel.open(() => process.exit(0));`;
  atEnd(() => kill(withArgument(word)));
  const host = spawn(process.execPath, ["--input-type=module", "-e", code], { stdio: "inherit" });
  expect(await once(host, "exit")).toEqual([0, null]);
  await untilNone(() => withArgument(word));
});

it.concurrent("when a host inside a tree dies, its own trees are gone before the channel closes", async () => {
  const inner = { command: "sh", args: ["-c", STUBBORN] };
  const channel = await openProcess({
    command: process.execPath,
    args: hostArgs(inner),
    stages: { eofMs: 100, termMs: 100 },
  });
  const pid = Number(await new Promise<string>((resolve) => channel.open(resolve)));
  atEnd(() => kill([pid]));
  process.kill(channel.pid, "SIGKILL");
  expect(await channel.closed).toMatchObject({ kind: "exited", exit: { signal: "SIGKILL" } });
  expect(isAlive(pid)).toBe(false);
});

it("the lifeline itself ends when the channel is closed", async () => {
  const lifelines = (): number[] => withArgument("lifeline");
  const before = new Set(lifelines());
  const channel = await openProcess({ command: "cat" });
  const own = lifelines().filter((pid) => !before.has(pid));
  expect(own.length).toBeGreaterThanOrEqual(1);
  channel.open(() => {});
  await channel.close();
  // Other tests may run lifelines at the same time, so only our own children count.
  const { readFileSync } = await import("node:fs");
  const isOurChild = (pid: number): boolean => {
    try {
      return readFileSync(`/proc/${pid}/stat`, "utf8").includes(`) S ${process.pid} `);
    } catch {
      return false;
    }
  };
  await untilNone(() => lifelines().filter(isOurChild));
});
