import { spawn } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { delimiter, dirname, join } from "node:path";
import { execPath } from "node:process";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { importSession, type SessionEntry, SessionModel } from "../../../src/trace/index.ts";
import { buildBin, type BuiltBin } from "../../apps/cli/support/bin.ts";
import { createDroidHome } from "../../support/droid/home.ts";
import { ensureDroid, newestDroid } from "../../support/droid/install.ts";
import {
  ModelServer,
  text,
  thinking,
  toolCall,
} from "../../../src/conformance/scripted-model/index.ts";
import { createAgentHome } from "./home.ts";
import { ensureAgent, modulesOf } from "./install.ts";
import { gemini } from "./recipes.ts";

/*
 * Makes the recordings in examples/recordings by real runs. DRAGOMAN_RECORD_EXAMPLES=1 writes them; otherwise
 * the runs are only checked.
 */

const folder = fileURLToPath(new URL("../../../examples/recordings/", import.meta.url));

let dragoman: BuiltBin;
let droidAcp: BuiltBin;
beforeAll(async () => {
  const manifest = await readFile(new URL("../../../package.json", import.meta.url), "utf8");
  const { version } = JSON.parse(manifest) as { readonly version: string };
  [dragoman, droidAcp] = [
    await buildBin("dragoman", version),
    await buildBin("droid-acp", version),
  ];
});
afterAll(() => Promise.all([dragoman.remove(), droidAcp.remove()]));

interface Place {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

/** Runs the command line to its end. */
function run({ cwd, env }: Place, args: readonly string[]): Promise<number | null> {
  const child = spawn(execPath, [dragoman.file, "--no-stdin", ...args], {
    cwd,
    env,
    stdio: "ignore",
  });
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
}

/** Reads a recording, with the folders of this machine replaced, and keeps it if that is wanted. */
async function taken(
  file: string,
  name: string,
  folders: Readonly<Record<string, string>>,
): Promise<SessionModel> {
  let lines = await readFile(file, "utf8");
  for (const [path, shown] of Object.entries(folders)) lines = lines.replaceAll(path, shown);
  if (process.env["DRAGOMAN_RECORD_EXAMPLES"] === "1") {
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, name), lines);
  }
  const model = new SessionModel();
  const { header, entries } = importSession(lines);
  model.header = header;
  for (const entry of entries satisfies readonly SessionEntry[]) model.append(entry);
  return model;
}

describe("a recording", () => {
  it("of Droid has a turn with an edit that was allowed and a command that was denied", async () => {
    const executable = await ensureDroid(newestDroid);
    const model = await ModelServer.start([], { fallback: text("That is all.") });
    const droid = await createDroidHome({ modelUrl: model.url });
    const { home, workspace, env, modelId } = droid;
    try {
      const path = join(workspace, "greeting.txt");
      await writeFile(path, "Hello, wrold!\n");
      const risk = { riskLevel: "medium", riskLevelReason: "it runs the tests" };
      const todos = "1. [in_progress] Fix the greeting\n2. [pending] Run the tests";
      model.push(
        [
          thinking("The file has a typo. I will look at it first.", { chunks: 5 }),
          text("I will look at the file.", { chunks: 6, delayMs: 20 }),
          toolCall("TodoWrite", { todos }),
        ],
        [toolCall("Read", { file_path: path })],
        [
          text("There is a typo in it.", { chunks: 6, delayMs: 20 }),
          toolCall("Edit", {
            file_path: path,
            old_str: "wrold",
            new_str: "world",
            change_all: false,
          }),
        ],
        [
          text("Now I run the tests.", { chunks: 5, delayMs: 20 }),
          toolCall("Execute", {
            summary: "Run the tests",
            command: "npm test",
            timeout: 60,
            ...risk,
          }),
        ],
      );
      // A command of the same name as the installed one, which the recording shows.
      const command = join(home, "droid-acp");
      await writeFile(command, `#!/bin/sh\nexec ${execPath} ${droidAcp.file} "$@"\n`, {
        mode: 0o755,
      });
      const agent = `${command} --droid ${executable} --model ${modelId}`;
      const file = join(home, "droid.jsonl");
      const args = ["--agent-command", agent, "--write", "--record", file];
      await run({ cwd: workspace, env }, [...args, "Fix the typo in greeting.txt"]);
      expect(await readFile(path, "utf8")).toBe("Hello, world!\n");
      const recorded = await taken(file, "droid-0.225.2.jsonl", {
        [command]: "droid-acp",
        [executable]: "droid",
        [dirname(home)]: "/home/ada",
        [model.url]: "http://127.0.0.1:4000",
      });
      expect(recorded.turns).toHaveLength(1);
      expect(recorded.toolCalls.map(({ kind }) => kind)).toContain("edit");
      expect(recorded.decisions.map(({ decision }) => decision.outcome)).toContain("denied");
      expect(recorded.exit).toBeDefined();
    } finally {
      await model.close();
      await droid.remove();
    }
  });

  it("of Gemini has a replay that goes on after session/load was answered", async () => {
    await ensureAgent(gemini);
    const model = await ModelServer.start([], { fallback: text("That is all.") });
    const agent = await createAgentHome(gemini, model.url);
    try {
      const commands = join(modulesOf("gemini"), gemini.bin);
      const cwd = await agent.workspace({ "notes.txt": "Herons: 12\n" });
      const env = { ...agent.env, PATH: [commands, agent.env["PATH"]].join(delimiter) };
      model.push(
        [gemini.tools.read(join(cwd, "notes.txt"))].flat(),
        text("There are twelve herons in the notes.", { chunks: 6 }),
      );
      const saved = join(agent.home, "id");
      await run({ cwd, env }, [
        "-a",
        "gemini",
        "--save-session",
        saved,
        "How many herons are there?",
      ]);
      const id = (await readFile(saved, "utf8")).trim();
      await gemini.beforeLoad?.(agent.home);
      model.push(text("Twelve, as I said before.", { chunks: 4, delayMs: 30 }));
      const file = join(agent.home, "gemini.jsonl");
      const args = ["-a", "gemini", "--resume", id, "--record", file];
      expect(await run({ cwd, env }, [...args, "And how many is that in words?"])).toBe(0);
      const recorded = await taken(file, "gemini-0.61.0-load.jsonl", {
        [commands]: "/usr/local/bin",
        [execPath]: "node",
        [dirname(agent.home)]: "/home/ada",
        [model.url]: "http://127.0.0.1:4000",
      });
      const { frames } = recorded;
      const rows = Array.from({ length: frames.count }, (_, row) => row);
      const load = rows.find((row) => frames.method(row) === "session/load") ?? -1;
      const late = rows.filter(
        (row) => row > frames.pair(load) && frames.update(row) === "user_message_chunk",
      );
      expect(late.length).toBeGreaterThan(0);
    } finally {
      await model.close();
      await agent.remove();
    }
  });
});
