// A long session as agents really have them: turns with messages, thoughts, tool calls, permissions and usage.
const SESSION = "0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0";
const FRAMES_OF_A_TURN = 500;
const words = "the agent writes about the code that it has changed, in many pieces ".repeat(3);

/** The lines of a session of about 380 bytes each. One message contains the word "needle". */
export function* longSession(frames) {
  const request = (id, method, params) => ({ jsonrpc: "2.0", id, method, params });
  const update = (value) => ({
    jsonrpc: "2.0",
    method: "session/update",
    params: { sessionId: SESSION, update: value },
  });
  const text = (value) => ({ type: "text", text: value });
  const state = { count: 0, hasNeedle: false };
  const made = (direction, value) => {
    state.count++;
    return { direction, line: JSON.stringify(value) };
  };
  const capabilities = { fs: { readTextFile: true, writeTextFile: true } };
  yield made(
    "out",
    request(0, "initialize", { protocolVersion: 1, clientCapabilities: capabilities }),
  );
  yield made("in", { jsonrpc: "2.0", id: 0, result: { protocolVersion: 1 } });
  yield made("out", request(1, "session/new", { cwd: "/project", mcpServers: [] }));
  yield made("in", { jsonrpc: "2.0", id: 1, result: { sessionId: SESSION } });
  for (let turn = 0; state.count < frames; turn++) {
    const id = turn + 2;
    yield made(
      "out",
      request(id, "session/prompt", { sessionId: SESSION, prompt: [text(`step ${turn}`)] }),
    );
    const end = Math.min(frames, (turn + 1) * FRAMES_OF_A_TURN) - 1;
    for (let n = 0; state.count < end; n++) {
      const toolCallId = `call-${turn}-${n >> 6}`;
      switch (n & 63) {
        case 10: {
          const content = [
            { type: "diff", path: `src/file${n}.ts`, oldText: "a\nb\n", newText: "a\nc\n" },
          ];
          const call = { toolCallId, title: `Edit file ${n}`, kind: "edit", status: "pending" };
          yield made("in", update({ sessionUpdate: "tool_call", ...call, content }));
          break;
        }
        case 11: {
          const options = [{ optionId: "yes", name: "Yes", kind: "allow_once" }];
          const toolCall = { toolCallId };
          yield made(
            "in",
            request(state.count, "session/request_permission", {
              sessionId: SESSION,
              toolCall,
              options,
            }),
          );
          break;
        }
        case 12: {
          const outcome = { outcome: "selected", optionId: "yes" };
          yield made("out", { jsonrpc: "2.0", id: state.count - 1, result: { outcome } });
          break;
        }
        case 13:
          yield made(
            "in",
            update({ sessionUpdate: "tool_call_update", toolCallId, status: "completed" }),
          );
          break;
        case 14:
          yield made(
            "in",
            update({ sessionUpdate: "usage_update", used: state.count, size: 400_000 }),
          );
          break;
        default: {
          const needsNeedle = !state.hasNeedle && state.count >= frames / 2;
          state.hasNeedle ||= needsNeedle;
          const isThought = (n & 63) < 10;
          const sessionUpdate = isThought ? "agent_thought_chunk" : "agent_message_chunk";
          const messageId = `${turn}-${n >> 6}-${isThought}`;
          const content = text(needsNeedle ? `needle ${words}` : words);
          yield made("in", update({ sessionUpdate, messageId, content }));
        }
      }
    }
    if (state.count < frames)
      yield made("in", { jsonrpc: "2.0", id, result: { stopReason: "end_turn" } });
  }
}
