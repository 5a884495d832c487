// One turn: a tool call, a message, and everything that the client offers to do for it.
import { randomUUID } from "node:crypto";
import { join } from "node:path";

export async function turn(client, sessions, session, prompt, offer) {
  const { has } = client;
  const messageId = randomUUID();
  const say = (update, isBroken) => {
    session.history.push(update);
    client.notify("session/update", { sessionId: session.id, update }, isBroken);
  };
  const [first] = prompt;
  session.history.push({
    sessionUpdate: "user_message_chunk",
    messageId: randomUUID(),
    content: { type: "text", text: first?.text ?? "" },
  });
  if (has("foreign-session")) {
    const content = { type: "text", text: "x" };
    client.notify("session/update", {
      sessionId: "another",
      update: { sessionUpdate: "agent_message_chunk", content },
    });
  }
  if (has("unprefixed-method")) client.notify("agent/progress", { done: 1 });
  toolCall(client, session, say);
  await requests(client, session, offer, say);
  if (has("one-id-for-roles")) {
    say({ sessionUpdate: "user_message_chunk", messageId, content: { type: "text", text: "x" } });
  }
  const text = has("shows-secret") ? `Hello ${client.env.DRAGOMAN_CHECK_API_KEY}` : "Hello";
  say(
    { sessionUpdate: "agent_message_chunk", messageId, content: { type: "text", text } },
    has("not-utf8"),
  );
  say({
    sessionUpdate: "usage_update",
    used: 10,
    size: 1000,
    cost: { amount: 0.1, currency: has("odd-currency") ? "dollars" : "USD" },
  });
  session.updatedAt = new Date().toISOString();
  sessions.save(session);
  return { stopReason: "end_turn" };
}

function toolCall({ has }, session, say) {
  const toolCallId = randomUUID();
  const path = has("relative-path") ? "notes.txt" : join(session.cwd, "notes.txt");
  const call = {
    sessionUpdate: "tool_call",
    toolCallId,
    title: "Read notes.txt",
    kind: "read",
    status: "pending",
    locations: [{ path, line: has("line-zero") ? 0 : 1 }],
  };
  if (!has("unannounced-call")) say(call);
  if (has("announced-twice")) say(call);
  say({ sessionUpdate: "tool_call_update", toolCallId, status: "completed" });
  if (has("reopened-call")) {
    say({ sessionUpdate: "tool_call_update", toolCallId, status: "in_progress" });
  }
  if (has("reused-call-id")) say(call);
}

async function requests(client, session, offer, say) {
  const { has } = client;
  const sessionId = session.id;
  if (offer.fs?.readTextFile) {
    const path = has("relative-fs-path") ? "notes.txt" : join(session.cwd, "notes.txt");
    await client.call("fs/read_text_file", { sessionId, path, line: 1 });
  }
  if (offer.terminal) await terminal(client, session, say);
  if (offer.elicitation?.form) {
    const name = has("asks-for-password") ? "password" : "colour";
    await client.call("elicitation/create", {
      sessionId,
      ...(has("two-scopes") ? { requestId: 1 } : {}),
      mode: "form",
      message: "Which one?",
      requestedSchema: { type: "object", properties: { [name]: { type: "string" } } },
    });
  }
}

async function terminal(client, session, say) {
  const { has } = client;
  const sessionId = session.id;
  const cwd = has("relative-terminal") ? "." : session.cwd;
  const { result } = await client.call("terminal/create", { sessionId, command: "true", cwd });
  const terminalId = result?.terminalId;
  if (terminalId === undefined) return;
  const show = () =>
    say({
      sessionUpdate: "tool_call",
      toolCallId: randomUUID(),
      title: "Run true",
      kind: "execute",
      status: "completed",
      content: [{ type: "terminal", terminalId }],
    });
  if (!has("dead-terminal")) show();
  await client.call("terminal/wait_for_exit", { sessionId, terminalId });
  await client.call("terminal/release", { sessionId, terminalId });
  if (has("dead-terminal")) show();
}
