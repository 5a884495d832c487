// A trivial agent: answers the handshake, and sends `count` updates of about 230 bytes per prompt.
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

async function answer(line) {
  const { id, method } = JSON.parse(line);
  if (method === "session/prompt") await stream();
  const result = RESULTS[method] ?? { stopReason: "end_turn" };
  if (id !== undefined) process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, result })}\n`);
}

async function stream() {
  for (let index = 0; index < count;) {
    let batch = "";
    for (let n = 0; n < LINES_PER_WRITE && index < count; n++) batch += update(index++);
    if (!process.stdout.write(batch)) await new Promise((go) => process.stdout.once("drain", go));
  }
}
