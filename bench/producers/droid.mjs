#!/usr/bin/env node
// A fake Droid 0.225.2: `droid.mjs COUNT` writes that many text deltas at once; `droid.mjs exec ...`
// answers the calls of a client and writes as many deltas as the prompt requests.
import { createInterface } from "node:readline";

const LINES_PER_WRITE = 256;
const sessionId = "4a9ea652-7463-4ea7-b030-2949d04a3832";
const head = { jsonrpc: "2.0", factoryApiVersion: "1.0.0", factoryProtocolVersion: "1.220.0" };

function notification(fields) {
  const frame = {
    ...head,
    type: "notification",
    method: "droid.session_notification",
    params: { sessionId, notification: fields },
    _meta: { traceparent: "00-822ba818510e8415e56ef6237f9c0de5-31a396f09b4009e2-01" },
  };
  return `${JSON.stringify(frame)}\n`;
}

async function write(text) {
  if (!process.stdout.write(text)) await new Promise((go) => process.stdout.once("drain", go));
}

async function deltas(count) {
  for (let index = 0; index < count;) {
    let batch = "";
    for (let n = 0; n < LINES_PER_WRITE && index < count; n++, index++) {
      batch += notification({
        type: "assistant_text_delta",
        messageId: "27f71f24-ddee-4b3b-aabf-de9a2e573633",
        blockIndex: 0,
        textDelta: `word ${String(index).padStart(7, "0")} `,
      });
    }
    await write(batch);
  }
}

const state = (newState) => notification({ type: "droid_working_state_changed", newState });

async function answer({ id, method, params }) {
  const respond = (result) =>
    write(`${JSON.stringify({ ...head, type: "response", id, result })}\n`);
  switch (method) {
    case "droid.initialize_session":
      return respond({ sessionId, session: { messages: [] }, settings: {}, availableModels: [] });
    case "droid.add_user_message":
      await respond({});
      await write(state("streaming_assistant_message"));
      await deltas(Number(params.text));
      await write(
        notification({
          type: "agent_turn_completed",
          reason: "completed",
          turnId: params.messageId,
        }) + state("idle"),
      );
      return;
    default:
      return respond({});
  }
}

if (process.argv[2] === "--version") {
  process.stdout.write("0.225.2\n");
} else if (process.argv[2] === "exec") {
  for await (const line of createInterface({ input: process.stdin }))
    await answer(JSON.parse(line));
} else {
  await deltas(Number(process.argv[2]));
}
