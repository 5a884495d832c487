// One turn of version 2. The prompt "slow" waits for a cancel, and "ask" asks for permission.
import { randomUUID } from "node:crypto";

export async function turn2(client, sessions, session, prompt, running, join) {
  const { has } = client;
  const messageId = has("same-message-ids") ? "message" : randomUUID();
  const words = prompt[0]?.text ?? "";
  const isForeign = ({ sessionUpdate }) =>
    has("foreign-session") && sessionUpdate === "agent_message_chunk";
  const update = (fields, isBroken) =>
    client.notify(
      "session/update",
      { sessionId: isForeign(fields) ? "other" : session.id, update: fields },
      isBroken,
    );
  const user = {
    sessionUpdate: "user_message",
    messageId: has("other-user-id") ? randomUUID() : messageId,
    content: [{ type: "text", text: words }],
  };
  const kept = { ...user, messageId: has("replays-other-id") ? randomUUID() : messageId };
  session.history.push(
    has("replays-chunks")
      ? { ...kept, sessionUpdate: "user_message_chunk", content: kept.content[0] }
      : kept,
  );
  setImmediate(() => void work(client, sessions, session, words, { update, user, running, join }));
  return has("no-receipt") ? { messageId: "" } : { messageId };
}

async function work(client, sessions, session, words, { update, user, running, join }) {
  const { has } = client;
  update(user);
  if (!has("idle-at-once"))
    update({ sessionUpdate: "state_update", state: has("odd-state") ? "busy" : "running" });
  if (has("odd-state")) update({ sessionUpdate: "state_update", state: "running" });
  speak(client, session, update, join);
  let stopReason = has("odd-stop-reason") ? "done" : "end_turn";
  if (words === "slow") {
    stopReason = await new Promise((resolve) => running.set(session.id, resolve));
    running.delete(session.id);
  }
  if (words === "ask") await ask(client, session, update);
  if (has("never-idle") && words !== "slow" && words !== "ask") return;
  sessions.save(session);
  update({ sessionUpdate: "state_update", state: "idle", stopReason });
  if (has("late-state")) update({ sessionUpdate: "state_update", state: "running" });
}

function speak({ has, notify, env }, session, update, join) {
  const toolCallId = randomUUID();
  const terminalId = randomUUID();
  if (has("chunk-before-call")) {
    update({
      sessionUpdate: "tool_call_content_chunk",
      toolCallId: "unknown",
      content: { type: "content", content: { type: "text", text: "x" } },
    });
  }
  const path = join(session.cwd, "notes.txt");
  update({
    sessionUpdate: has("old-update") ? "tool_call" : "tool_call_update",
    toolCallId: has("no-call-id") ? "" : toolCallId,
    ...(has("no-call-title") ? {} : { title: "Change notes.txt" }),
    name: "edit",
    kind: has("odd-kind") ? "magic" : "edit",
    status: "in_progress",
    content: [
      {
        type: "diff",
        changes: [{ operation: "add", path }],
        patch: {
          format: "git_patch",
          text: has("other-patch") ? PATCH.replaceAll("notes", "other") : PATCH,
        },
      },
    ],
  });
  update({
    sessionUpdate: "tool_call_content_chunk",
    toolCallId: has("no-call-id") ? "" : toolCallId,
    content: { type: "content", content: { type: "text", text: "done" } },
  });
  update({
    sessionUpdate: "terminal_update",
    terminalId,
    command: "true",
    cwd: has("relative-terminal") ? "." : session.cwd,
  });
  update({
    sessionUpdate: "terminal_output_chunk",
    terminalId,
    data: has("plain-output") ? "a%b" : "aGk=",
  });
  update({
    sessionUpdate: "plan_update",
    plan: {
      type: "items",
      planId: has("no-plan-id") ? "" : "plan",
      entries: [{ content: "Do it", priority: "high", status: "pending" }],
    },
  });
  if (has("old-method")) notify("fs/read_text_file", { sessionId: session.id, path });
  const text = has("shows-secret") ? `Hello ${env.DRAGOMAN_CHECK_API_KEY}` : "Hello";
  update(
    {
      sessionUpdate: "agent_message_chunk",
      messageId: has("no-message-id") ? "" : randomUUID(),
      content: { type: "text", text },
      ...(has("own-field") ? { own: true } : {}),
    },
    has("not-utf8"),
  );
}

const PATCH = "--- /dev/null\n+++ b/notes.txt\n@@ -0,0 +1 @@\n+x\n";

async function ask(client, session, update) {
  const { has } = client;
  const asked = client.call("session/request_permission", {
    sessionId: session.id,
    title: has("no-question-title") ? "" : "May I?",
    options: [{ optionId: "yes", name: "Yes", kind: "allow_once" }],
  });
  if (!has("asks-while-running"))
    update({ sessionUpdate: "state_update", state: "requires_action" });
  const { result } = await asked;
  if (has("odd-outcome-hangs") && result?.outcome?.outcome?.startsWith("_"))
    await new Promise(() => {});
  update({ sessionUpdate: "state_update", state: "running" });
}
