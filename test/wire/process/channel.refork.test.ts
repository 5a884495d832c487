// A process that starts itself again every few milliseconds has a new pid at each look.
import { spawnSync } from "node:child_process";
import { createReadStream, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { finished } from "node:stream/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import { openProcess } from "../../../src/wire/process/channel.ts";
import { ProcessTree } from "../../../src/wire/process/process-tree.ts";

/** Each generation ignores SIGTERM, starts the next one and exits, until the file `stop` exists. */
const GENERATION = `#!/bin/sh
trap "" TERM HUP
[ -e "\${0%/*}/stop" ] && exit
START "$0" </dev/null >/dev/null 2>&1 &
`;

interface Chain {
  /** A script that starts the first generation and prints a line. */
  readonly script: string;
  /** Resolves when no process of the chain is left: each holds the writing end of a pipe. */
  readonly ended: Promise<void>;
}

function chain(start: string): Chain {
  const folder = mkdtempSync(join(tmpdir(), "refork-"));
  const file = join(folder, "generation");
  writeFileSync(file, GENERATION.replace("START", start), { mode: 0o755 });
  const fifo = join(folder, "fifo");
  if (spawnSync("mkfifo", [fifo]).status !== 0) throw new Error("mkfifo failed");
  const reader = createReadStream(fifo);
  const ended = finished(reader.resume());
  onTestFinished(async () => {
    writeFileSync(join(folder, "stop"), "");
    await ended;
    rmSync(folder, { recursive: true });
  });
  return { script: `exec 3>"${fifo}"; "${file}" & echo started; exec 3>&-; `, ended };
}

const CHAINS = [
  { what: "in its group", start: "" },
  { what: "in a new session each time", start: "setsid" },
];

describe.runIf(process.platform === "linux")("a process that starts itself again and again", () => {
  const stages = { eofMs: 50, termMs: 50 };

  it.each(CHAINS)("$what is ended with the channel", async ({ start }) => {
    const { script, ended } = chain(start);
    const channel = await openProcess({ command: "sh", args: ["-c", `${script} cat`], stages });
    await new Promise((resolve) => channel.open(resolve));
    await channel.close();
    await ended;
  });

  it.each(CHAINS)("$what is ended when the leader exits", async ({ start }) => {
    const { script, ended } = chain(start);
    const channel = await openProcess({ command: "sh", args: ["-c", script], stages });
    channel.open(() => {});
    expect(await channel.closed).toMatchObject({ kind: "exited", exit: { code: 0 } });
    await ended;
  });

  it.each(CHAINS)("$what keeps its tree from being empty", async ({ start }) => {
    const { script, ended } = chain(start);
    const line = { command: "sh", args: ["-c", `${script} cat`] };
    const tree = await ProcessTree.start(line, { stdio: ["pipe", "ignore", "inherit"] });
    onTestFinished(() => tree.release());
    tree.child.stdin?.end();
    await new Promise((resolve) => tree.child.once("exit", resolve));
    for (let look = 0; look < 20; look++) expect(await tree.isEmpty()).toBe(false);
    await tree.end(0);
    expect(await tree.isEmpty()).toBe(true);
    await ended;
  });
});
