import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, isAbsolute, relative, resolve } from "node:path";
import { RemoteError } from "../rpc/index.ts";
import type { Turn } from "../agent/index.ts";
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

/** Reads a file through the client if it supports that, and otherwise from disk. */
export async function readWorkspaceFile(turn: DemoTurn, path: string): Promise<string | undefined> {
  try {
    if (turn.client.can("fs.readTextFile")) return await turn.readFile(path);
    return await readFile(path, "utf8");
  } catch (error) {
    if (error instanceof RemoteError || isFileError(error)) return undefined;
    throw error;
  }
}

/** Writes a file through the client if it supports that, and otherwise to disk. */
export async function writeWorkspaceFile(
  turn: DemoTurn,
  path: string,
  text: string,
): Promise<void> {
  if (turn.client.can("fs.writeTextFile")) return await turn.writeFile(path, text);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
}

function isFileError(error: unknown): boolean {
  return error instanceof Error && "code" in error && typeof error.code === "string";
}
