// Helpers with which a sender reports its own costs on stderr, from the prompt to the last update.
import { cpuUsage, memoryUsage, resourceUsage } from "node:process";

/** Starts measuring. Returns a function that reports the costs and exits. */
export function measure() {
  let peak = 0;
  const timer = setInterval(() => (peak = Math.max(peak, memoryUsage.rss())), 20);
  timer.unref();
  const before = cpuUsage();
  return () => {
    const { user, system } = cpuUsage(before);
    const used = {
      cpuMs: (user + system) / 1000,
      rssMb: resourceUsage().maxRSS / 1024,
      turnRssMb: Math.max(peak, memoryUsage.rss()) / 2 ** 20,
    };
    process.stderr.write(`${JSON.stringify(used)}\n`, () => process.exit(0));
  };
}

export const word = (index) => `word ${String(index).padStart(7, "0")} `;

export const SESSION = "0b6a5c1e-8f6d-4a53-9a0f-2f6f2a0d7c11";
const MESSAGE = "4a9ea652-7c1d-4b58-8f40-6a1f5a3b9d02";

/** The update that the agents send, built by hand. */
export function update(index) {
  return {
    jsonrpc: "2.0",
    method: "session/update",
    params: {
      sessionId: SESSION,
      update: {
        sessionUpdate: "agent_message_chunk",
        messageId: MESSAGE,
        content: { type: "text", text: word(index) },
      },
    },
  };
}

/** Answers the first two requests by hand, and calls `send` for the third. */
export function plainAgent(send) {
  const answer = (id, result) =>
    process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, result })}\n`);
  process.stdin.setEncoding("utf8");
  process.stdin.on("data", (text) => {
    for (const line of text.split("\n")) {
      if (line === "") continue;
      const { id } = JSON.parse(line);
      if (id === 1) answer(1, { protocolVersion: 1 });
      else if (id === 2) answer(2, { sessionId: SESSION });
      else void send();
    }
  });
}
