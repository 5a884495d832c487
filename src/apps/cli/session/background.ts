import type { BackgroundWork } from "../../../protocol/acp/index.ts";
import type { Session } from "../../../client/index.ts";
import type { RunningAgent } from "../connect/running-agent.ts";
import type { Context } from "../context/context.ts";

/** Notes that work in the background is about to end, because the agent ends with this run. */
export function reportEndingWork(
  { renderer }: Context,
  { agent, isWarm }: RunningAgent,
  session: Session,
): void {
  if (isWarm) return;
  const names = (session.background ?? []).map((work) => nameOf(work, session));
  if (names.length === 0 || session.state !== "open") return;
  renderer.note(`${agent.name} ends now, and its background work with it: ${names.join(", ")}`);
}

function nameOf(work: BackgroundWork, session: Session): string {
  switch (work.type) {
    case "terminal":
      return session.terminals.get(work.terminalId)?.command ?? work.terminalId;
    case "tool_call":
      return session.toolCalls.get(work.toolCallId)?.title ?? work.toolCallId;
    case "unknown":
      return "work of an unknown type";
  }
}
