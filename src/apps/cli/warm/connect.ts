import { messageOf, stateFolder, writeAtomically } from "../../../base/index.ts";
import type { Channel } from "../../../transport/wire/index.ts";
import type { Chosen } from "../agents/choose.ts";
import type { Context } from "../context/context.ts";
import { warmAgent } from "./key.ts";
import { reachHub } from "./reach.ts";
import { join } from "node:path";
import { readIfPresent } from "../settings/files.ts";

/**
 * Connects to a warm agent: to one that runs already, or to one that the hub starts now. Resolves with
 * undefined if the agent has to be started without a hub, and prints the reason.
 */
export async function openWarm(
  { io, cwd, renderer }: Context,
  { agent, mcpServers }: Chosen,
  secrets: readonly string[],
  options: { readonly warmMs: number; readonly fresh: boolean },
): Promise<Channel | undefined> {
  const described = await warmAgent(io, agent, { cwd, mcpServers }, secrets);
  // The usual start reports that the command is missing.
  if (described === undefined) return undefined;
  try {
    return await reachHub(io, { want: "agent", agent: described, ...options });
  } catch (error) {
    renderer.note(`${agent.name} is not kept warm: ${messageOf(error)}`);
    return undefined;
  }
}

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
