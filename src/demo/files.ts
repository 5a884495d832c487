import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, isAbsolute, relative, resolve } from "node:path";
import { RemoteError } from "../rpc/index.ts";
import type { Turn } from "../agent/index.ts";
import type { Conversation } from "./conversation.ts";

export type DemoTurn = Turn<Conversation>;

/** A path of the workspace, from what somebody typed; undefined if it leads out of it. */
export function inWorkspace(turn: DemoTurn, typed: string): string | undefined {
  const path = resolve(turn.session.cwd, typed);
  const roots = [turn.session.cwd, ...turn.session.additionalDirectories];
  const isInside = roots.some((root) => {
    const way = relative(root, path);
    return !way.startsWith("..") && !isAbsolute(way);
  });
  return isInside ? path : undefined;
}

/** The text of a file as the user sees it: through the client where it offers to, else from disk. */
export async function readThrough(turn: DemoTurn, path: string): Promise<string | undefined> {
  try {
    if (turn.client.can("fs.readTextFile")) return await turn.readFile(path);
    return await readFile(path, "utf8");
  } catch (error) {
    if (error instanceof RemoteError || isMissing(error)) return undefined;
    throw error;
  }
}

/** Writes a file by the same way. */
export async function writeThrough(turn: DemoTurn, path: string, text: string): Promise<void> {
  if (turn.client.can("fs.writeTextFile")) return await turn.writeFile(path, text);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && typeof error.code === "string";
}
