// An agent that makes the requests in its prompt. Each prompt is a JSON list of `[method, params]`, where
// "$N.field" stands for a field of response N, counted from 0. The agent sends all responses back as one
// message. The prompt "exit" makes it exit at once.
import { createInterface } from "node:readline";
import { exit, stdin, stdout } from "node:process";

let calls = 0;
const waiting = new Map();
const send = (message) => stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const call = (method, params) =>
  new Promise((resolve) => {
    const id = ++calls;
    waiting.set(id, resolve);
    send({ id, method, params });
  });

function withAnswers(params, answers) {
  const text = JSON.stringify(params).replace(/"\$(\d+)\.(\w+)"/g, (_whole, index, field) =>
    JSON.stringify(answers[Number(index)].result?.[field] ?? null),
  );
  return JSON.parse(text);
}

async function prompt({ sessionId, prompt: [{ text }] }) {
  if (text === "exit") exit(3);
  const answers = [];
  for (const [method, params] of JSON.parse(text)) {
    answers.push(await call(method, { sessionId, ...withAnswers(params, answers) }));
  }
  const content = { type: "text", text: JSON.stringify(answers) };
  const update = { sessionUpdate: "agent_message_chunk", content };
  send({ method: "session/update", params: { sessionId, update } });
  return { stopReason: "end_turn" };
}

const methods = {
  initialize: ({ clientCapabilities }) => ({
    protocolVersion: 1,
    agentInfo: { name: "gate-agent", version: JSON.stringify(clientCapabilities) },
  }),
  "session/new": () => ({ sessionId: `s${++calls}` }),
  "session/prompt": prompt,
};

for await (const line of createInterface(stdin)) {
  const message = JSON.parse(line);
  if (message.method === undefined) {
    const { result, error } = message;
    waiting.get(message.id)?.({ result, error });
  } else if (message.id !== undefined) {
    void Promise.resolve(methods[message.method](message.params)).then((result) =>
      send({ id: message.id, result }),
    );
  }
}
