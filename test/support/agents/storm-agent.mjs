// An agent that may be killed at any moment. It keeps its sessions in a folder, and notes every prompt that
// it gets there before it does anything else. A prompt is an id and a kind of work: text, tool, hang
// or ask.
//
//   node storm-agent.mjs <URL of the bundled toolkit> <folder> load|resume
import { spawn } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { argv, pid } from "node:process";
import { setTimeout as wait } from "node:timers/promises";

const [, , library, folder, reopening] = argv;
const { serveAgent, stdioChannel } = await import(library);

const note = (file, value) => appendFileSync(join(folder, file), `${JSON.stringify(value)}\n`);
const fileOf = (sessionId) => `session-${sessionId}.jsonl`;
const historyOf = (sessionId) =>
  readFileSync(join(folder, fileOf(sessionId)), "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));
const isKept = (sessionId) => existsSync(join(folder, fileOf(sessionId)));

const WORK = {
  text: async (turn) => {
    for (let part = 0; part < 20; part++) {
      await turn.say(`${part} `);
      await wait(5);
    }
  },
  tool: async (turn) => {
    const call = await turn.toolCall({ title: "Sleep", kind: "execute" });
    const child = spawn("sleep", ["1000"], { stdio: "ignore" });
    await wait(100);
    child.kill("SIGKILL");
    await once(child, "exit");
    await call.complete();
  },
  hang: async (turn) => {
    await turn.toolCall({ title: "Sleep", kind: "execute" });
    const child = spawn("sleep", ["1000"], { stdio: "ignore" });
    await once(turn.signal, "abort");
    child.kill("SIGKILL");
  },
  ask: async (turn) => {
    const { outcome } = await turn.askPermission({ title: "Write", kind: "edit" });
    await turn.say(`${outcome} `);
  },
};

note("agents.jsonl", pid);
await serveAgent(stdioChannel(), {
  info: { name: "storm", version: "1" },
  newSession: () => {
    const id = crypto.randomUUID();
    note(fileOf(id), "opened");
    return { id };
  },
  sessionId: ({ id }) => id,
  ...(reopening === "resume" && {
    resumeSession: ({ sessionId }) => (isKept(sessionId) ? { id: sessionId } : undefined),
  }),
  loadSession: async function* ({ sessionId }) {
    if (!isKept(sessionId)) return undefined;
    for (const text of historyOf(sessionId).slice(1)) {
      const content = { type: "text", text };
      yield { sessionUpdate: "user_message_chunk", content };
    }
    return { id: sessionId };
  },
  prompt: async (turn) => {
    const [prompt, kind] = turn.text.split(" ");
    note("prompts.jsonl", { prompt, sessionId: turn.session.id, pid });
    note(fileOf(turn.session.id), prompt);
    await WORK[kind](turn);
    await turn.say(`done ${prompt} after ${historyOf(turn.session.id).length - 1}`);
  },
});
