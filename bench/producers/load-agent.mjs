// An agent with any number of sessions. Each prompt names how many updates to send and how long they are;
// the updates of all sessions are sent in turns.
import { createInterface } from "node:readline";

let sessions = 0;
const streams = new Set();

const send = (message) =>
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);

async function pump() {
  while (streams.size > 0) {
    let hasRoom = true;
    for (const stream of streams) {
      const { sessionId, count, padding, id } = stream;
      const content = { type: "text", text: `${stream.sent++} ${padding}` };
      const update = { sessionUpdate: "agent_message_chunk", content };
      hasRoom = send({ method: "session/update", params: { sessionId, update } });
      if (stream.sent < count) continue;
      streams.delete(stream);
      hasRoom = send({ id, result: { stopReason: "end_turn" } });
    }
    if (!hasRoom) await new Promise((go) => process.stdout.once("drain", go));
  }
}

createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (method === "initialize") send({ id, result: { protocolVersion: 1, agentCapabilities: {} } });
  else if (method === "session/new") send({ id, result: { sessionId: `s${++sessions}` } });
  else if (method === "session/prompt") {
    const [count, length] = params.prompt[0].text.split(" ").map(Number);
    const wasIdle = streams.size === 0;
    const { sessionId } = params;
    streams.add({ id, sessionId, count, padding: "x".repeat(length), sent: 0 });
    if (wasIdle) void pump();
  } else if (id !== undefined) send({ id, result: {} });
});
