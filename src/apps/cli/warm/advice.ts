import { join } from "node:path";
import { stateFolder, writeAtomically } from "../../../base/index.ts";
import type { Context } from "../context/context.ts";
import { readIfPresent } from "../settings/files.ts";

/** Mentions `--warm` to a user at a terminal, once and never again. Never rejects. */
export async function adviseOnce(
  { io, mode, renderer }: Pick<Context, "io" | "mode" | "renderer">,
  agent: string,
  ms: number,
): Promise<void> {
  if (!io.stderr.isTty || mode !== "text") return;
  const file = join(stateFolder(io), "advice", "warm");
  try {
    if ((await readIfPresent(file)) !== undefined) return;
    // Not before it is remembered: the line would come again and again.
    await writeAtomically(file, `${new Date(io.now()).toISOString()}\n`);
  } catch {
    return;
  }
  const seconds = (ms / 1000).toFixed(1);
  renderer.note(
    `starting ${agent} took ${seconds} s; with --warm 10m it stays, and the next prompt starts at once`,
  );
}
