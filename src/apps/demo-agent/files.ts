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

/**
 * Reads a file through the client if it supports that, and otherwise from disk. Only the client can
 * read a part of it.
 */
export function readFileOf(turn: DemoTurn, path: string, range: ReadRange = {}): Promise<string> {
  return turn.client.can("fs.readTextFile") ? turn.readFile(path, range) : readFile(path, "utf8");
}

/** Reads a file like `readFileOf`. Resolves with undefined if that fails. */
export async function readWorkspaceFile(turn: DemoTurn, path: string): Promise<string | undefined> {
  try {
    return await readFileOf(turn, path);
  } catch (error) {
    refusalReason(error);
    return undefined;
  }
}

/** Writes a file through the client if it supports that, and otherwise to disk. */
export async function writeFileOf(turn: DemoTurn, path: string, text: string): Promise<void> {
  if (turn.client.can("fs.writeTextFile")) return turn.writeFile(path, text);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
}

/** Why the client or the disk refused something. Other errors are thrown again. */
export function refusalReason(error: unknown): string {
  if (error instanceof RemoteError || isFileError(error)) return error.message;
  throw error;
}

function isFileError(error: unknown): error is Error {
  return error instanceof Error && "code" in error && typeof error.code === "string";
}
