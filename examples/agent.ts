// An agent that keeps its sessions, asks before it writes, and stops when it is cancelled.
//
//   read FILE         shows a file
//   append FILE TEXT  adds a line to a file
//   count             counts until it is cancelled
import { randomUUID } from "node:crypto";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { pageOf, RemoteError, serveAgent, stdioChannel, type Turn } from "dragoman/agent";
import type { SessionUpdate } from "dragoman/protocol";

interface Notebook {
  readonly sessionId: string;
  readonly cwd: string;
  readonly history: SessionUpdate[];
  updatedAt: string;
}

const folder = join(homedir(), ".notebook-agent");
const notebooks = new Map<string, Notebook>();
await mkdir(folder, { recursive: true });
for (const file of await readdir(folder)) {
  const notebook: Notebook = JSON.parse(await readFile(join(folder, file), "utf8"));
  notebooks.set(notebook.sessionId, notebook);
}

async function act(turn: Turn<Notebook>): Promise<void> {
  const [, verb, file = "", text = ""] = /^(\S+) ?(\S*) ?(.*)/.exec(turn.text.trim()) ?? [];
  const path = resolve(turn.session.state.cwd, file);
  const title = `${verb} ${file}`;
  if (verb === "count") {
    for (let n = 1; ; n++) {
      await turn.say(`${n} `);
      await sleep(1000, undefined, { signal: turn.signal }); // a cancel ends it at once
    }
  } else if (verb === "read") {
    const call = await turn.toolCall({ title, kind: "read", status: "pending" });
    await turn.say(await turn.readFile(path));
    await call.complete();
  } else if (verb === "append") {
    const oldText = await turn.readFile(path).catch((error: unknown) => {
      if (error instanceof RemoteError && error.code === "not_found") return "";
      throw error;
    });
    const newText = `${oldText}${text}\n`;
    const content = [{ type: "diff", path, oldText, newText } as const];
    const { allowed } = await turn.askPermission({ title, kind: "edit", content });
    if (allowed) await turn.writeFile(path, newText);
    await turn.say(allowed ? "Done." : "I left the file as it was.");
  } else {
    await turn.say("I understand: read FILE, append FILE TEXT, count.");
  }
}

await serveAgent<Notebook>(stdioChannel(), {
  info: { name: "notebook", version: "1.0.0" },
  newSession: ({ cwd }) => {
    const sessionId = randomUUID();
    const notebook = { sessionId, cwd, history: [], updatedAt: new Date().toISOString() };
    notebooks.set(sessionId, notebook);
    return notebook;
  },
  sessionId: ({ sessionId }) => sessionId,
  listSessions: ({ cwd: wanted, cursor }) => {
    const all = [...notebooks.values()].filter(({ cwd }) => wanted === undefined || cwd === wanted);
    return pageOf(
      all.map(({ sessionId, cwd, updatedAt }) => ({ sessionId, cwd, updatedAt })),
      cursor,
    );
  },
  async *loadSession({ sessionId }) {
    const notebook = notebooks.get(sessionId);
    if (notebook) yield* notebook.history;
    return notebook;
  },
  // Everything that the agent sends. `prompt` adds what the user sent.
  recordUpdate: ({ state }, update) => void state.history.push(update),
  async prompt(turn) {
    const { messageId, prompt, session } = turn;
    for (const content of prompt) {
      session.state.history.push({ sessionUpdate: "user_message_chunk", messageId, content });
    }
    try {
      await act(turn);
    } catch (error) {
      if (!(error instanceof RemoteError)) throw error;
      await turn.say(`That failed: ${error.message}`); // the turn continues
    } finally {
      session.state.updatedAt = new Date().toISOString();
      const file = join(folder, `${session.state.sessionId}.json`);
      await writeFile(file, JSON.stringify(session.state), { mode: 0o600 });
    }
    return "end_turn";
  },
});
