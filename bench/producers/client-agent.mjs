// A trivial agent: answers the handshake, and sends `count` updates of about 230 bytes per prompt. It
// speaks v2 to a client that asks for it.
import { createInterface } from "node:readline";

const count = Number(process.argv[2]);
const LINES_PER_WRITE = 256;
const sessionId = "0b6a5c1e-8f6d-4a53-9a0f-2f6f2a0d7c11";

const update = (index) =>
  `${JSON.stringify({
    jsonrpc: "2.0",
    method: "session/update",
    params: {
      sessionId,
      update: {
        sessionUpdate: "agent_message_chunk",
        messageId: "4a9ea652-7c1d-4b58-8f40-6a1f5a3b9d02",
        content: { type: "text", text: `word ${String(index).padStart(7, "0")} ` },
      },
    },
  })}\n`;

const RESULTS = {
  initialize: { protocolVersion: 1, agentCapabilities: {}, authMethods: [] },
  "session/new": { sessionId },
};

createInterface({ input: process.stdin }).on("line", (line) => void answer(line));

const INITIALIZED_IN_V2 = {
  protocolVersion: 2,
  info: { name: "bench", version: "1" },
  capabilities: { session: {} },
};
let isV2 = false;

async function answer(line) {
  const { id, method, params } = JSON.parse(line);
  if (method === "initialize" && params.protocolVersion === 2) {
    isV2 = true;
    return send({ id, result: INITIALIZED_IN_V2 });
  }
  if (method === "session/prompt" && isV2) return await answerInV2(id, params.prompt);
  if (method === "session/prompt") await stream();
  const result = RESULTS[method] ?? { stopReason: "end_turn" };
  if (id !== undefined) send({ id, result });
}

async function answerInV2(id, content) {
  sendUpdate({ sessionUpdate: "user_message", messageId: "user", content });
  send({ id, result: { messageId: "user" } });
  sendUpdate({ sessionUpdate: "state_update", state: "running" });
  await stream();
  sendUpdate({ sessionUpdate: "state_update", state: "idle", stopReason: "end_turn" });
}

function send(frame) {
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...frame })}\n`);
}

function sendUpdate(given) {
  send({ method: "session/update", params: { sessionId, update: given } });
}

async function stream() {
  for (let index = 0; index < count;) {
    let batch = "";
    for (let n = 0; n < LINES_PER_WRITE && index < count; n++) batch += update(index++);
    if (!process.stdout.write(batch)) await new Promise((go) => process.stdout.once("drain", go));
  }
}
