// An agent that floods its client in the way that the first word of the prompt names, then ends the turn.
//
//   requests METHOD COUNT [BYTES]   sends requests and reads the answers, but never waits for them;
//                              a permission is then about a command of this length
//   unread METHOD COUNT        the same, but stops reading its stdin
//   calls COUNT BYTES          tool calls that start and complete, each with a result of this size
//   open-calls COUNT BYTES     tool calls that never end
//   plans COUNT BYTES          plans with one entry of this length
//   text MEGABYTES             an answer of this size
//   deep LEVELS                updates and a request that are nested this deeply
//   noise MEGABYTES            lines that are not messages
//   stderr MEGABYTES           lines on stderr
import { once } from "node:events";
import { createInterface } from "node:readline";

const BATCH_CHARS = 256 * 1024;
const sessionId = "s1";
let batch = "";
let answered = 0;
/** The first answers from the client, by id. */
const answers = new Map();

async function flush() {
  const text = batch;
  batch = "";
  if (!process.stdout.write(text)) await once(process.stdout, "drain");
}
/** Sends a message. Returns a promise only if the caller has to wait. */
function send(message) {
  batch += `${typeof message === "string" ? message : JSON.stringify({ jsonrpc: "2.0", ...message })}\n`;
  return batch.length > BATCH_CHARS ? flush() : undefined;
}
const update = (fields) =>
  send({ method: "session/update", params: { sessionId, update: fields } });
const say = (text) =>
  update({ sessionUpdate: "agent_message_chunk", content: { type: "text", text } });

const padding = "x".repeat(200);
const paramsOf = {
  "session/request_permission": (n, bytes) => ({
    sessionId,
    toolCall: {
      toolCallId: `t${n}`,
      title: `Edit ${padding}`,
      ...(bytes === undefined
        ? { kind: "edit" }
        : { kind: "execute", rawInput: { command: "c".repeat(bytes) } }),
      status: "pending",
    },
    options: [{ optionId: "once", name: "Allow once", kind: "allow_once" }],
  }),
  "fs/read_text_file": (n) => ({ sessionId, path: `${process.cwd()}/missing-${n}-${padding}` }),
  unknown: (n) => ({ sessionId, n, padding }),
};

async function requests(method, count, bytes) {
  const params = paramsOf[method] ?? paramsOf.unknown;
  for (let n = 0; n < count; n++) await send({ id: `r${n}`, method, params: params(n, bytes) });
  await flush();
}

const floods = {
  async requests([method, count, bytes]) {
    await requests(method, Number(count), bytes);
    while (answered < Number(count)) await once(lines, "line");
  },
  async unread([method, count]) {
    process.stdin.pause();
    await requests(method, Number(count));
  },
  async calls([count, bytes]) {
    const content = [{ type: "content", content: { type: "text", text: "y".repeat(bytes) } }];
    for (let n = 0; n < count; n++) {
      const toolCallId = `${turn}-${n}`;
      await update({ sessionUpdate: "tool_call", toolCallId, title: `call ${n}`, kind: "read" });
      const done = { toolCallId, status: "completed", content };
      await update({ sessionUpdate: "tool_call_update", ...done });
    }
  },
  async "open-calls"([count, bytes]) {
    const rawInput = { text: "y".repeat(bytes) };
    for (let n = 0; n < count; n++) {
      await update({
        sessionUpdate: "tool_call",
        toolCallId: `${turn}-${n}`,
        title: "open",
        rawInput,
      });
    }
  },
  async plans([count, bytes]) {
    for (let n = 0; n < count; n++) {
      const content = `${n} ${"p".repeat(bytes)}`;
      await update({
        sessionUpdate: "plan",
        entries: [{ content, priority: "low", status: "pending" }],
      });
    }
  },
  async text([megabytes]) {
    const piece = "lorem ipsum dolor sit amet, consectetur adipiscing elit\n".repeat(18);
    for (let n = 0; n < megabytes * 1000; n++) await say(piece.slice(0, 1000));
  },
  async noise([megabytes]) {
    const line = "n".repeat(999);
    for (let n = 0; n < megabytes * 1000; n++) await send(line);
  },
  async stderr([megabytes]) {
    const lines = `${"e".repeat(999)}\n`.repeat(100);
    for (let n = 0; n < megabytes * 10; n++) {
      if (!process.stderr.write(lines)) await once(process.stderr, "drain");
    }
  },
  async deep([levels]) {
    const deep = `${"[".repeat(levels)}${"]".repeat(levels)}`;
    const params = `{"sessionId":"s1","update":{"sessionUpdate":"new","deep":${deep}}}`;
    await send(`{"jsonrpc":"2.0","method":"session/update","params":${params}}`);
    const input = `{"sessionUpdate":"tool_call","toolCallId":"t","title":"deep","rawInput":${deep}}`;
    const call = `{"sessionId":"s1","update":${input}}`;
    await send(`{"jsonrpc":"2.0","method":"session/update","params":${call}}`);
    await send(`{"jsonrpc":"2.0","id":"r1","method":"deep/request","params":${deep}}`);
    // The answer to this one shows that the one before it was passed over.
    await send({ id: "r2", method: "unknown", params: {} });
    await flush();
    while (!answers.has("r2")) await once(lines, "line");
    await say(`still here, error ${answers.get("r1")?.error.code ?? "none"}`);
  },
};

let turn = 0;
const methods = {
  initialize: () => ({ protocolVersion: 1, agentCapabilities: {} }),
  "session/new": () => ({ sessionId }),
  async "session/prompt"({ prompt }) {
    turn++;
    const [name, ...words] = prompt[0].text.split(" ");
    await floods[name](words);
    return { stopReason: "end_turn" };
  },
};

async function answer({ id, method, params }) {
  if (id === undefined || !methods[method]) return;
  await send({ id, result: await methods[method](params) });
  await flush();
}

const lines = createInterface({ input: process.stdin });
lines.on("line", (line) => {
  const message = JSON.parse(line);
  if (message.method !== undefined) {
    void answer(message);
    return;
  }
  answered++;
  if (answers.size < 10) answers.set(message.id, message);
});
lines.on("close", () => process.exit(0));
