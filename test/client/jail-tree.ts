import { spawnSync } from "node:child_process";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Jail } from "../../src/client/gate/jail/jail.ts";
import { JailError, type JailReason } from "../../src/client/gate/jail/errors.ts";

/** A scratch folder with a workspace and an outside beside it; removed at the end of the scope. */
export interface Scratch extends Disposable {
  readonly top: string;
  readonly ws: string;
  readonly outside: string;
}

/** Names the two folders only; the caller makes what it needs. */
export function scratch(): Scratch {
  const top = realpathSync(mkdtempSync(join(tmpdir(), "jail-")));
  return {
    top,
    ws: join(top, "ws"),
    outside: join(top, "outside"),
    [Symbol.dispose]: () => rmSync(top, { recursive: true, force: true }),
  };
}

/** Why a call was refused; fails the test when it was not. */
export async function refusal(work: Promise<unknown>): Promise<JailReason> {
  try {
    await work;
  } catch (error) {
    if (error instanceof JailError) return error.reason;
    throw error;
  }
  throw new Error("it was not refused");
}

/** A whole file, read as the jail hands it out. */
export async function readOpened(jail: Jail, path: string): Promise<string> {
  const { handle } = await jail.open(path);
  try {
    return await handle.readFile("utf8");
  } finally {
    await handle.close();
  }
}

/** Node has no call for it. */
export function makeFifo(path: string): void {
  const { status } = spawnSync("mkfifo", [path]);
  if (status !== 0) throw new Error("mkfifo failed");
}
