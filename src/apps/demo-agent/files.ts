import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, isAbsolute, relative, resolve } from "node:path";
import { RemoteError } from "../../transport/rpc/index.ts";
import type { ReadRange, Turn } from "../../agent/index.ts";
import type { Conversation } from "./conversation.ts";

export type DemoTurn = Turn<Conversation>;

/** Resolves a typed path; undefined if it leads out of the workspace. */
export function resolveInWorkspace(turn: DemoTurn, typed: string): string | undefined {
  const path = resolve(turn.session.cwd, typed);
  const roots = [turn.session.cwd, ...turn.session.additionalDirectories];
  const isInside = roots.some((root) => {
    const fromRoot = relative(root, path);
    return !fromRoot.startsWith("..") && !isAbsolute(fromRoot);
  });
  return isInside ? path : undefined;
}

/** The text of a file, or the reason why it cannot be read. */
type ReadOutcome =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly reason: string };

/**
 * Reads a file through the client if it supports that, and otherwise from disk. Only the client can
 * read a part of it.
 */
export async function tryReadFile(
  turn: DemoTurn,
  path: string,
  range: ReadRange = {},
): Promise<ReadOutcome> {
  try {
    if (!turn.client.can("fs.readTextFile"))
      return { ok: true, text: await readFile(path, "utf8") };
    return { ok: true, text: await turn.readFile(path, range) };
  } catch (error) {
    return { ok: false, reason: reasonOf(error) };
  }
}

/** Reads a file like `tryReadFile`. Resolves with undefined if that fails. */
export async function readWorkspaceFile(turn: DemoTurn, path: string): Promise<string | undefined> {
  const read = await tryReadFile(turn, path);
  return read.ok ? read.text : undefined;
}

/**
 * Writes a file through the client if it supports that, and otherwise to disk. Resolves with the reason
 * if that fails.
 */
export async function tryWriteFile(
  turn: DemoTurn,
  path: string,
  text: string,
): Promise<string | undefined> {
  try {
    if (turn.client.can("fs.writeTextFile")) await turn.writeFile(path, text);
    else {
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, text);
    }
    return undefined;
  } catch (error) {
    return reasonOf(error);
  }
}

/** Why the client or the disk refused something. Other errors are thrown again. */
export function reasonOf(error: unknown): string {
  if (error instanceof RemoteError || isFileError(error)) return error.message;
  throw error;
}

function isFileError(error: unknown): error is Error {
  return error instanceof Error && "code" in error && typeof error.code === "string";
}
