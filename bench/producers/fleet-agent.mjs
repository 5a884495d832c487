// An agent for measurements of a fleet. Its prompts are
//   burst KIND COUNT      COUNT updates as fast as the reader takes them
//   stamps KIND COUNT MS  an update every MS milliseconds, with the time at which it was sent
//   wait                  until it is cancelled; the answer has the time at which that arrived
// KIND is "text", which the fleet joins into larger pieces, or "tool", which it does not.
import { once } from "node:events";
import { createInterface } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";

const PADDING = "x".repeat(120);
let sessions = 0;
let waiting;

const send = (message) =>
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const now = () => performance.timeOrigin + performance.now();

function update(sessionId, kind, text) {
  const body =
    kind === "text"
      ? { sessionUpdate: "agent_message_chunk", content: { type: "text", text: `${text} ` } }
      : { sessionUpdate: "tool_call_update", toolCallId: "call", title: text };
  return send({ method: "session/update", params: { sessionId, update: body } });
}

async function run(id, { sessionId, prompt }) {
  const [what, kind, count, ms] = prompt[0].text.split(" ");
  if (what === "wait") {
    update(sessionId, "tool", "waiting");
    waiting = id;
    return;
  }
  for (let number = 0; number < Number(count); number++) {
    const text = what === "stamps" ? `${now()}` : `${number} ${PADDING}`;
    const hasRoom = update(sessionId, kind, text);
    if (what === "stamps") await pause(Number(ms));
    else if (!hasRoom) await once(process.stdout, "drain");
  }
  send({ id, result: { stopReason: "end_turn" } });
}

createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (method === "initialize") {
    const agentCapabilities = { sessionCapabilities: { resume: {} } };
    send({ id, result: { protocolVersion: 1, agentCapabilities } });
  } else if (method === "session/new") {
    send({ id, result: { sessionId: `${process.pid}-${++sessions}` } });
  } else if (method === "session/prompt") void run(id, params);
  else if (method === "session/cancel") {
    send({ id: waiting, result: { stopReason: "cancelled", _meta: { at: now() } } });
  } else if (id !== undefined) send({ id, result: {} });
});
