// The minimum for an adapter: only parse each line from Droid and write it as an ACP update, with one
// write per read.
import { spawn } from "node:child_process";
import { producer } from "../measure.mjs";

const [count] = process.argv.slice(2);
// The measurement starts here, where the adapter would wait for its prompt.
await new Promise((go) => process.stdin.once("data", go));
const droid = spawn(process.execPath, [producer("droid"), count], {
  stdio: ["ignore", "pipe", "inherit"],
});
let seen = 0;
let rest = "";
for await (const chunk of droid.stdout.setEncoding("utf8")) {
  const lines = (rest + chunk).split("\n");
  rest = lines.pop();
  let batch = "";
  for (const line of lines) {
    const { params } = JSON.parse(line);
    const { messageId, textDelta } = params.notification;
    const update = {
      sessionUpdate: "agent_message_chunk",
      messageId,
      content: { type: "text", text: textDelta },
    };
    batch += `${JSON.stringify({ jsonrpc: "2.0", method: "session/update", params: { sessionId: params.sessionId, update } })}\n`;
    seen++;
  }
  if (!process.stdout.write(batch)) await new Promise((go) => process.stdout.once("drain", go));
}
process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id: 3, result: { seen } })}\n`);
// Keep running until the consumer has read the measurements.
process.stdin.resume();
