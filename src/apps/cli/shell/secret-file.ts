import { join, resolve } from "node:path";
import { usageError } from "./exit.ts";
import type { Io } from "./io.ts";
import type { Stats } from "node:fs";
import { MIB, readGivenFile, UnusableFileError } from "./regular-file.ts";

const OTHERS = 0o077;

/** Reads the token for a server from a file that only the user can read. Throws a usage error. */
export async function readTokenFile(path: string, io: Pick<Io, "cwd" | "home">): Promise<string> {
  const file = path.startsWith("~/") ? join(io.home, path.slice(2)) : resolve(io.cwd, path);
  const options = { maxBytes: MIB, what: "token file", check: expectPrivateFile };
  const text = (await readGivenFile(file, path, options)).toString("utf8").trim();
  if (/^[\x21-\x7e]+$/.test(text)) return text;
  throw usageError(`${path} does not hold a token: one line without spaces`);
}

/** Throws if others can read a file. Windows has no such modes. */
export function expectPrivateFile({ mode, uid }: Stats): void {
  if (process.platform === "win32") return;
  if ((mode & OTHERS) !== 0) {
    throw new UnusableFileError("can be read by others, so it is not secret: chmod 600");
  }
  const me = process.getuid?.();
  if (me !== undefined && me !== 0 && uid !== me) {
    throw new UnusableFileError("belongs to another user");
  }
}
