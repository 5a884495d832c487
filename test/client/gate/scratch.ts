import { spawnSync } from "node:child_process";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A scratch folder with a workspace and a folder outside it. Removed at the end of the scope. */
export interface Scratch extends Disposable {
  readonly top: string;
  readonly ws: string;
  readonly outside: string;
}

/** Creates only the scratch folder itself. The caller creates `ws` and `outside` as needed. */
export function scratch(): Scratch {
  const top = realpathSync(mkdtempSync(join(tmpdir(), "jail-")));
  return {
    top,
    ws: join(top, "ws"),
    outside: join(top, "outside"),
    [Symbol.dispose]: () => rmSync(top, { recursive: true, force: true }),
  };
}

/** Node has no call for it. */
export function makeFifo(path: string): void {
  const { status } = spawnSync("mkfifo", [path]);
  if (status !== 0) throw new Error("mkfifo failed");
}
