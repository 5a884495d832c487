import { ATTACH_METHODS } from "../../../client/index.ts";
import { asObject, isThenable, objectsField } from "../../../base/index.ts";
import { type AgentAnswer, type AgentLink, resultOf } from "../agent/link.ts";
import { errorObject, HUB_CODES } from "../errors.ts";
import { errorLine, notificationLine, resultLine } from "../json/write.ts";
import type { RunningPrompt } from "../session/prompt-queue.ts";
import type { HubSession } from "../session/session.ts";
import type { ClientRequest } from "../client/served-client.ts";
import type { ClientRelay } from "./relay.ts";

/** Sends a prompt once it is its turn. A prompt is sent at most once, however often the agent ends. */
export function sendPrompt(
  relay: ClientRelay,
  session: HubSession,
  message: ClientRequest,
): void | Promise<void> {
  if (session.agent.version >= 2) {
    const target = session.ready();
    if (!isThenable(target)) return relay.send(target, message, session);
    return target.then((connection) => relay.send(connection, message, session));
  }
  return session.prompts.add({
    client: relay.client.number,
    reply: (line) => relay.reply(message, line, session),
    start: () => startTurn(relay, session, message),
  });
}

function startTurn(
  relay: ClientRelay,
  session: HubSession,
  message: ClientRequest,
): void | Promise<void> {
  const { client, hub } = relay;
  const prompt: RunningPrompt = {
    client: client.number,
    by: client.owner,
    startedAt: Date.now(),
  };
  session.prompts.started(prompt);
  session.turnStarted();
  const { name: agent, owner } = session.agent;
  const at = { agent, owner, sessionId: session.id };
  hub.emit({ type: "turn_started", ...at, by: client.owner });
  const ended = (outcome: TurnOutcome): void => {
    session.prompts.ended(prompt);
    const { sessionId } = at;
    if (session.hasLog) {
      const end = notificationLine(ATTACH_METHODS.turnEnded, { sessionId, ...outcome });
      session.publish(end, "extension", client.number);
    }
    session.turnEnded();
    const name = "stopReason" in outcome ? String(outcome.stopReason) : "error";
    hub.emit({ type: "turn_ended", ...at, outcome: name, ms: Date.now() - prompt.startedAt });
  };
  const send = (connection: AgentLink): void => {
    showToOthers(session, message, client.number);
    relay.send(connection, message, session, (answer) => {
      const wasCancelled = session.isCancelling;
      ended(outcomeOf(answer));
      return orderlyEnd(answer, wasCancelled, message);
    });
  };
  const fail = (error: unknown): void => {
    ended({ error: errorObject(error) });
    relay.reply(message, (id) => errorLine(id, error), session);
  };
  const target = session.ready();
  return isThenable(target) ? target.then(send, fail) : send(target);
}

type TurnOutcome = { readonly stopReason: unknown } | { readonly error: object };

function outcomeOf(answer: AgentAnswer): TurnOutcome {
  if (answer.kind === "ended")
    return { error: { code: HUB_CODES.outcomeUnknown, message: "The agent ended" } };
  try {
    return { stopReason: resultOf(answer.line)["stopReason"] };
  } catch (error) {
    return { error: errorObject(error) };
  }
}

/** A turn that was cancelled ends as cancelled, although the agent had to be ended for it. */
function orderlyEnd(
  answer: AgentAnswer,
  wasCancelled: boolean,
  { line, id }: ClientRequest,
): string | undefined {
  if (answer.kind !== "ended" || !wasCancelled || answer.cause !== "ignored_cancel")
    return undefined;
  return resultLine(line.slice(id.start, id.end), { stopReason: "cancelled" });
}

/** The other clients of the session see what was asked. */
function showToOthers(session: HubSession, { params }: ClientRequest, asker: number): void {
  if (!session.hasLog) return;
  for (const content of objectsField(asObject(params), "prompt")) {
    const update = { sessionUpdate: "user_message_chunk", content };
    session.publish(
      notificationLine("session/update", { sessionId: session.id, update }),
      "all",
      asker,
    );
  }
}
