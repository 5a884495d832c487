import { spawnSync } from "node:child_process";
import { createReadStream, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { finished } from "node:stream/promises";
import { onTestFinished } from "vitest";

/** Each generation ignores SIGTERM, starts the next one and exits, until the file `stop` exists. */
const GENERATION = `#!/bin/sh
trap "" TERM HUP
[ -e "\${0%/*}/stop" ] && exit
START "$0" </dev/null >/dev/null 2>&1 &
`;

export interface Chain {
  /** A script that starts the first generation and prints a line. */
  readonly script: string;
  /** Resolves when no process of the chain is left: each holds the writing end of a pipe. */
  readonly ended: Promise<void>;
}

/**
 * A process that starts itself again every few milliseconds, each time with the command `start`. It is
 * ended after the test.
 */
export function chain(start: string): Chain {
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
