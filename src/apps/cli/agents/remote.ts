import type { Stats } from "node:fs";
import { join, resolve } from "node:path";
import { usageError } from "../shell/exit.ts";
import type { Io } from "../shell/io.ts";
import { MIB, readGivenFile, UnusableFileError } from "../shell/regular-file.ts";

/** How to reach an agent on a server. */
export interface RemoteAgent {
  readonly url: string;
  /** The headers of every request, with the token if there is one. */
  readonly headers: Readonly<Record<string, string>>;
}

const OTHERS = 0o077;

/**
 * Reads the token for a server. Throws a usage error if others can read the file, or if it does not hold
 * one line with a token.
 */
export async function readToken(path: string, io: Pick<Io, "cwd" | "home">): Promise<string> {
  const file = path.startsWith("~/") ? join(io.home, path.slice(2)) : resolve(io.cwd, path);
  const options = { maxBytes: MIB, what: "token file", check: expectPrivate };
  const text = (await readGivenFile(file, path, options)).toString("utf8").trim();
  if (/^[\x21-\x7e]+$/.test(text)) return text;
  throw usageError(`${path} does not hold a token: one line without spaces`);
}

/** Throws if others can read a file. Windows has no such modes. */
export function expectPrivate({ mode, uid }: Stats): void {
  if (process.platform === "win32") return;
  if ((mode & OTHERS) !== 0) {
    throw new UnusableFileError("can be read by others, so it is not secret: chmod 600");
  }
  const me = process.getuid?.();
  if (me !== undefined && me !== 0 && uid !== me) {
    throw new UnusableFileError("belongs to another user");
  }
}

/** The headers for a server, with its token. Throws a usage error if there are two. */
export function withToken(
  headers: Readonly<Record<string, string>>,
  token: string | undefined,
): Readonly<Record<string, string>> {
  if (token === undefined) return headers;
  if (Object.keys(headers).some((name) => name.toLowerCase() === "authorization")) {
    throw usageError("the settings of this agent have an Authorization header and a token file");
  }
  return { ...headers, authorization: `Bearer ${token}` };
}
