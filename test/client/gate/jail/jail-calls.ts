import { JailError, type JailReason } from "../../../../src/client/gate/jail/errors.ts";
import {
  descriptorOpener,
  realPathOpener,
  type PathOpener,
} from "../../../../src/client/gate/jail/path-opener.ts";
import type { Jail } from "../../../../src/client/gate/jail/jail.ts";

/** Every opener that works on this system, with its name. */
export const OPENERS: [string, PathOpener][] = [["real paths", realPathOpener]];
if (process.platform === "linux") OPENERS.unshift(["file descriptors", descriptorOpener]);

/** The reason why the jail denied a call. Fails the test if the call succeeded. */
export async function denialReason(work: Promise<unknown>): Promise<JailReason> {
  try {
    await work;
  } catch (error) {
    if (error instanceof JailError) return error.reason;
    throw error;
  }
  throw new Error("the jail did not deny the call");
}

/** Reads a whole file through the jail. */
export async function readFile(jail: Jail, path: string): Promise<string> {
  const { handle } = await jail.open(path);
  try {
    return await handle.readFile("utf8");
  } finally {
    await handle.close();
  }
}
