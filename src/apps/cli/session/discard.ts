import { agentHas } from "../../../protocol/acp/index.ts";
import type { Session } from "../../../client/index.ts";
import { capabilitiesOf, type RunningAgent } from "../connect/running-agent.ts";
import type { Context } from "../context/context.ts";

/** How long an agent may take to close and delete a session that is not needed. */
const DISCARD_MS = 3000;

/**
 * Closes a session that was only a probe, and deletes it where the agent can, so that it does not stay in
 * the agent's list. A failure has no consequences for the run, so there is none to report.
 */
export async function discardSession(
  { interrupts }: Pick<Context, "interrupts">,
  { client }: Pick<RunningAgent, "client">,
  session: Session,
): Promise<void> {
  if (session.state !== "open" || interrupts.arrived !== undefined) return;
  const options = { signal: AbortSignal.timeout(DISCARD_MS) };
  try {
    await session.close(options);
    if (agentHas(capabilitiesOf(client), "sessionCapabilities.delete"))
      await client.deleteSession(session.id, options);
  } catch {
    // The agent may have ended, or may not know an empty session.
  }
}
