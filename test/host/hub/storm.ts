/** A storm of kills: clients, hubs and agents die at random moments of turns, tools and questions. */
import { mkdir, mkdtemp, readFile, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { expect } from "vitest";
import { type JsonObject, within } from "../../../src/base/index.ts";
import { agentPath } from "../../support/agents/bundle.ts";
import { processesWithHome } from "../../support/droid/leftovers.ts";
import { Answer, Editor, Gone, textIn } from "./editor.ts";

/** No answer takes longer, even on a busy machine and with a restart in between. */
const LIMIT_MS = 60_000;

/** A hub gives an agent up after five failures in five minutes. */
const MOST_AGENT_KILLS = 4;

type Victim = "client" | "hub" | "agent";
type Work = "text" | "tool" | "ask";

export interface StormOptions {
  readonly kills: number;
  readonly random: () => number;
  /** The URL of the bundled toolkit. */
  readonly toolkit: string;
  /** The command that stands in place of an agent's command. */
  readonly hub: (agent: readonly string[]) => readonly [string, ...string[]];
}

export async function storm(options: StormOptions): Promise<void> {
  const root = await realpath(await mkdtemp(join(tmpdir(), "dragoman-storm-")));
  const folders = {
    home: join(root, "home"),
    cwd: join(root, "workspace"),
    kept: join(root, "kept"),
  };
  for (const folder of Object.values(folders)) await mkdir(folder);
  const run = new Storm(options, folders);
  try {
    await run.all();
  } finally {
    for (const pid of await processesWithHome(folders.home)) process.kill(pid, "SIGKILL");
    await rm(root, { recursive: true, force: true, maxRetries: 5 });
  }
}

interface Turn {
  readonly prompt: string;
  readonly sessionId: string;
  /** The stop reason, or the error. */
  readonly end: Promise<unknown>;
}

interface Folders {
  readonly home: string;
  readonly cwd: string;
  /** Everything that the agent keeps. */
  readonly kept: string;
}

class Storm {
  readonly #options: StormOptions;
  readonly #folders: Folders;
  /** Sessions that a client knows. */
  readonly #sessions: string[] = [];
  /** Prompts that were answered as done. */
  readonly #done: string[] = [];
  #editor: Editor | undefined;
  #open: string[] = [];
  /** How often the agent of this client was killed. */
  #agentKills = 0;
  #answersQuestions = true;
  #prompts = 0;

  constructor(options: StormOptions, folders: Folders) {
    this.#options = options;
    this.#folders = folders;
  }

  async all(): Promise<void> {
    for (let kill = 0; kill < this.#options.kills; kill++) await this.#round();
    await this.#endEditor();
    await this.#verifyKept();
  }

  async #round(): Promise<void> {
    const editor = await this.#connected();
    this.#answersQuestions = this.#options.random() < 0.5;
    const work = (): Work => this.#pick(["text", "tool", "ask"]);
    const turns = this.#open.map((sessionId) => this.#prompt(editor, sessionId, work()));
    await this.#moment(editor);
    const victim: Victim =
      this.#agentKills < MOST_AGENT_KILLS
        ? this.#pick(["client", "hub", "agent"])
        : this.#pick(["client", "hub"]);
    await this.#kill(editor, victim);
    for (const turn of turns) await this.#verifyEnd(turn, victim);
    this.#answersQuestions = true;
    if (victim === "agent") await this.#verifyContinues(editor);
    else await this.#verifyGone(editor);
  }

  /** A client with an initialized agent and two sessions: new ones, or some of earlier clients. */
  async #connected(): Promise<Editor> {
    if (this.#editor) return this.#editor;
    const { home, cwd, kept } = this.#folders;
    const { toolkit, hub, random } = this.#options;
    const agent = [agentPath("storm-agent.mjs"), toolkit, kept, this.#pick(["load", "resume"])];
    const editor = new Editor({
      command: hub([process.execPath, ...agent]),
      pidFile: join(kept, "hubs"),
      env: { PATH: process.env["PATH"] ?? "/usr/bin:/bin", HOME: home, LANG: "C.UTF-8" },
      cwd,
      answer: () => this.#answer(),
    });
    this.#editor = editor;
    this.#agentKills = 0;
    await this.#inTime("initialize", editor.initialize());
    const isNew = this.#sessions.length < 2 || random() < 0.3;
    this.#open = [];
    for (const which of [0, 1]) {
      if (isNew) {
        const sessionId = await this.#inTime("session/new", editor.newSession(cwd));
        this.#sessions.push(sessionId);
        this.#open.push(sessionId);
      } else {
        const sessionId = this.#pick(this.#sessions.filter((id, at) => at % 2 === which));
        await this.#load(editor, sessionId);
        this.#open.push(sessionId);
      }
    }
    return editor;
  }

  async #answer(): Promise<unknown> {
    if (!this.#answersQuestions) await new Promise(() => {});
    return { outcome: { outcome: "selected", optionId: "allow_once" } };
  }

  /** Loads a session. Its replay must have every prompt that the agent got in it, once. */
  async #load(editor: Editor, sessionId: string): Promise<void> {
    const from = editor.updates.length;
    const params = { sessionId, cwd: this.#folders.cwd, mcpServers: [] };
    await this.#inTime("session/load", editor.call("session/load", params));
    expect(replayed(editor, sessionId, from)).toEqual(await this.#promptsOf(sessionId));
  }

  #prompt(editor: Editor, sessionId: string, work: Work): Turn {
    const prompt = `p${this.#prompts++}`;
    const end = editor.prompt(sessionId, `${prompt} ${work}`).then(
      ({ stopReason }) => {
        this.#done.push(prompt);
        return stopReason;
      },
      (error: unknown) => error,
    );
    return { prompt, sessionId, end };
  }

  /** Waits for a random moment of the turns. */
  async #moment(editor: Editor): Promise<void> {
    const count = editor.updates.length + Math.floor(this.#options.random() * 12);
    const ms = this.#options.random() * 150;
    await within(
      editor.until(({ length }) => length > count),
      ms,
    );
    if (this.#options.random() < 0.3) await wait(this.#options.random() * 100);
  }

  async #kill(editor: Editor, victim: Victim): Promise<void> {
    switch (victim) {
      case "client":
        return editor.kill();
      case "hub":
        return killLast(await this.#numbers("hubs"));
      case "agent":
        this.#agentKills++;
        return killLast(await this.#numbers("agents.jsonl"));
    }
  }

  async #verifyEnd({ end, prompt }: Turn, victim: Victim): Promise<void> {
    const ended = await this.#inTime(prompt, end);
    if (ended === "end_turn") return;
    if (victim !== "agent") return expect(ended).toBeInstanceOf(Gone);
    expect(ended).toBeInstanceOf(Answer);
    expect(ended).toMatchObject({ code: -32005, data: { signal: "SIGKILL" } });
  }

  /** The next prompt of each session works, knows all earlier ones, and shows none of them again. */
  async #verifyContinues(editor: Editor): Promise<void> {
    for (const sessionId of this.#open) {
      const from = editor.updates.length;
      let { prompt, end } = this.#prompt(editor, sessionId, "text");
      // The hub may have sent it before the system reported the death of the agent.
      if (isUnknown(await this.#inTime(prompt, end))) {
        ({ prompt, end } = this.#prompt(editor, sessionId, "text"));
      }
      expect(await this.#inTime(prompt, end)).toBe("end_turn");
      const { length } = await this.#promptsOf(sessionId);
      expect(editor.text(sessionId, from)).toContain(`done ${prompt} after ${length}`);
      expect(replayed(editor, sessionId, from)).toEqual([]);
    }
  }

  async #verifyGone(editor: Editor): Promise<void> {
    this.#editor = undefined;
    await this.#inTime("the end of the client", editor.ended);
    await expect
      .poll(() => processesWithHome(this.#folders.home), { timeout: LIMIT_MS })
      .toEqual([]);
    await this.#verifyPrompts();
  }

  async #endEditor(): Promise<void> {
    const editor = this.#editor;
    if (!editor) return;
    editor.end();
    expect(await editor.ended).toBe(0);
    await this.#verifyGone(editor);
  }

  /** Every session that a client ever knew can be loaded, complete. */
  async #verifyKept(): Promise<void> {
    const editor = await this.#connected();
    for (const sessionId of this.#sessions) await this.#load(editor, sessionId);
    await this.#endEditor();
  }

  /** No prompt came twice, and every prompt that was answered as done came. */
  async #verifyPrompts(): Promise<void> {
    const prompts = (await this.#received()).map(({ prompt }) => prompt);
    expect(prompts.length).toBe(new Set(prompts).size);
    expect(prompts).toEqual(expect.arrayContaining(this.#done));
  }

  async #promptsOf(sessionId: string): Promise<unknown[]> {
    const received = await this.#received();
    return received.filter((one) => one["sessionId"] === sessionId).map(({ prompt }) => prompt);
  }

  async #received(): Promise<readonly JsonObject[]> {
    const lines = await this.#linesOf("prompts.jsonl");
    return lines.map((line): JsonObject => JSON.parse(line));
  }

  async #numbers(file: string): Promise<readonly number[]> {
    return (await this.#linesOf(file)).map(Number);
  }

  async #linesOf(file: string): Promise<readonly string[]> {
    const text = await readFile(join(this.#folders.kept, file), "utf8").catch(() => "");
    return text.split("\n").filter((line) => line !== "");
  }

  async #inTime<T>(what: string, work: Promise<T>): Promise<T> {
    if (await within(work, LIMIT_MS)) return work;
    throw new Error(`${what} hangs; stderr: ${this.#editor?.stderr ?? ""}`);
  }

  #pick<T>(list: readonly T[]): T {
    const found = list[Math.floor(this.#options.random() * list.length)];
    if (found === undefined) throw new Error("nothing to pick from");
    return found;
  }
}

/** The user's messages that a session replayed. */
function replayed(editor: Editor, sessionId: string, from: number): string[] {
  return editor.updates
    .slice(from)
    .filter((params) => params["sessionId"] === sessionId)
    .map(({ update }) => textIn(update, "user_message_chunk"))
    .filter((text) => text !== "");
}

/** Whether a prompt failed because the agent died during it. */
function isUnknown(ended: unknown): boolean {
  return ended instanceof Answer && ended.code === -32005;
}

/** It may have ended by itself. */
function killLast(pids: readonly number[]): void {
  const pid = pids.at(-1);
  if (pid === undefined) return;
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    expect(error).toMatchObject({ code: "ESRCH" });
  }
}
