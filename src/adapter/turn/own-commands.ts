import { quiet, unlessAborted } from "../../wire/index.ts";
import { randomUUID } from "node:crypto";
import type { Turn, TurnEnd } from "../../agent/index.ts";
import { type DroidClient, DroidExitedError } from "../../droid/index.ts";
import { contextReport } from "../session/usage.ts";

/** Answers `/context`. */
export async function runContext<S>(turn: Turn<S>, droid: DroidClient): Promise<TurnEnd> {
  const [stats, breakdown] = await Promise.all([
    droid.contextStats().catch(() => undefined),
    droid.request("contextBreakdown", {}).catch(() => undefined),
  ]);
  await turn.say(contextReport(stats, breakdown));
  return "end_turn";
}

/**
 * Answers `/mcp-login`. Droid opens the browser and sends the URL, which the client gets as a notice.
 * The login ends when the browser is redirected back, or with a cancel.
 */
export async function runMcpLogin<S>(
  turn: Turn<S>,
  droid: DroidClient,
  serverName: string,
): Promise<TurnEnd> {
  try {
    await unlessAborted(droid.request("authenticateMcpServer", { serverName }), turn.signal);
    await turn.say(`Signed in to the MCP server ${serverName}.\n`);
  } catch (error) {
    if (turn.signal.aborted) {
      void quiet(droid.request("cancelMcpAuth", { serverName }));
      return "cancelled";
    }
    if (error instanceof DroidExitedError) throw error;
    const why = error instanceof Error ? error.message : String(error);
    await turn.say(`Could not sign in to the MCP server “${serverName}”: ${why}\n`);
  }
  return "end_turn";
}

/**
 * Answers `/compact`. Droid makes a compacted copy, and `adopt` moves to it. A cancel before that
 * leaves the session unchanged.
 */
export async function runCompact<S>(
  turn: Turn<S>,
  droid: DroidClient,
  instructions: string | undefined,
  adopt: (newSessionId: string) => Promise<void>,
): Promise<TurnEnd> {
  const id = randomUUID();
  const showsProgress = turn.client.can("session.compaction");
  const interrupt = (): void => void quiet(droid.interrupt());
  turn.signal.addEventListener("abort", interrupt, { once: true });
  try {
    if (showsProgress) await turn.compaction(id, "in_progress");
    const { newSessionId, removedCount } = await droid.compact(instructions);
    if (turn.signal.aborted) {
      if (showsProgress) await turn.compaction(id, "cancelled");
      return "cancelled";
    }
    await adopt(newSessionId);
    if (showsProgress) await turn.compaction(id, "completed");
    const what = removedCount === undefined ? "" : `: a summary replaced ${removedCount} messages`;
    await turn.say(`The conversation was compacted${what}.\n`);
    return "end_turn";
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    if (showsProgress) {
      const cancelled = turn.signal.aborted;
      await turn.compaction(id, cancelled ? "cancelled" : "failed", { error: message });
    }
    throw error;
  } finally {
    turn.signal.removeEventListener("abort", interrupt);
  }
}
