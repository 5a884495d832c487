import { spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { execPath } from "node:process";
import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  it,
  type TaskMeta,
} from "vitest";
import { buildBin, type BuiltBin } from "../../apps/cli/support/bin.ts";
import { processesWithHome } from "../../support/droid/leftovers.ts";
import { hang, ModelServer, text } from "../../../src/conformance/scripted-model/index.ts";
import { createAgentHome, type AgentHome } from "./home.ts";
import { modulesOf } from "./install.ts";
import type { RowName } from "./matrix.ts";
import type { AgentRecipe } from "./recipe.ts";
import { claude, recipes } from "./recipes.ts";

let dragoman: BuiltBin;
beforeAll(async () => {
  dragoman = await buildBin();
});
afterAll(() => dragoman.remove());

interface Subject {
  readonly title: string;
  readonly recipe: AgentRecipe;
  readonly flags: readonly string[];
}

/** Every agent, and once more the one that also speaks version 2 of the protocol. */
const subjects: readonly Subject[] = [
  ...recipes.map((recipe) => ({ title: recipe.name, recipe, flags: [] })),
  { title: "claude, version 2", recipe: claude, flags: ["--protocol", "2"] },
];

describe.each(subjects)("$title", ({ title, recipe, flags }) => {
  let model: ModelServer;
  let home: AgentHome;
  let cwd: string;
  beforeEach(async () => {
    model = await ModelServer.start();
    home = await createAgentHome(recipe, model.url);
    cwd = await home.workspace();
  });
  afterEach(async () => {
    await model.close();
    await home.remove();
  });
  const run = (...args: string[]): Run =>
    start(recipe, home, cwd, ["-a", recipe.name, ...flags, ...args]);
  /** Fills a cell of the matrix in docs/interop.md, which shows version 1. */
  const report = (meta: TaskMeta, scenario: RowName, code: number | null): void => {
    if (title !== recipe.name) return;
    meta.interop = { agent: title, scenario, outcome: `exit code ${code}` };
  };

  it("prints the answer and exits with 0", async ({ task }) => {
    model.push(text("The answer is forty-two."));
    const { code, stdout, stderr } = await run("What is the answer?").ended;
    expect(stderr).not.toMatch(/^dragoman: /m);
    expect({ code, stdout }).toEqual({ code: 0, stdout: "The answer is forty-two." });
    model.verify();
    expect(await processesWithHome(home.home)).toEqual([]);
    report(task.meta, "cliAnswer", code);
  });

  it("writes a file with --write", async ({ task }) => {
    const path = join(cwd, "made.txt");
    model.push(recipe.tools.write(path, "new line\n"), text("Written."));
    const { code, stdout } = await run("--write", "Write the file").ended;
    expect({ code, stdout }).toEqual({ code: 0, stdout: "Written." });
    expect(await readFile(path, "utf8")).toBe("new line\n");
    model.verify();
    report(task.meta, "cliWrite", code);
  });

  it("resumes a session without printing the earlier conversation", async ({ task }) => {
    const saved = join(home.home, "session-id");
    model.push(text("I will remember."));
    await run("--save-session", saved, "Remember: the word is heliotrope").ended;
    await recipe.beforeLoad?.(home.home);
    model.push(text("Still here."));
    const id = (await readFile(saved, "utf8")).trim();
    const { code, stdout } = await run("--resume", id, "Are you there?").ended;
    expect({ code, stdout }).toEqual({ code: 0, stdout: "Still here." });
    const known = model.calls.at(-1)?.messages.map((message) => message.text);
    expect(known?.join("\n")).toContain("heliotrope");
    model.verify();
    report(task.meta, "cliResume", code);
  });

  it("exits with 130 when interrupted, and leaves no process running", async ({ task }) => {
    const stop = hang();
    model.push([text("Once upon a time"), stop, text(" there was nobody.")]);
    const running = run("Tell a story");
    await running.printed("Once upon");
    running.interrupt();
    const { code, stdout } = await running.ended;
    expect(code).toBe(130);
    expect(stdout).toContain("Once upon a time");
    expect(stdout).not.toContain("nobody");
    expect(await (await stop.arrived).ended).toBe("aborted");
    expect(await processesWithHome(home.home)).toEqual([]);
    report(task.meta, "cliInterrupt", code);
  });
});

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

interface Run {
  readonly ended: Promise<Ended>;
  /** Resolves when stdout contains the text; rejects if the command exits first. */
  printed(words: string): Promise<void>;
  /** Sends SIGINT, like Ctrl-C. */
  interrupt(): void;
}

/** Runs the command line as a user would, with the agent's own command on the PATH. */
function start(recipe: AgentRecipe, home: AgentHome, cwd: string, args: readonly string[]): Run {
  const commands = join(modulesOf(recipe.name), recipe.bin);
  const child = spawn(execPath, [dragoman.file, "--no-stdin", ...args], {
    cwd,
    env: { ...home.env, PATH: [commands, home.env["PATH"]].join(delimiter) },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => (stdout += chunk));
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => (stderr += chunk));
  const ended = new Promise<Ended>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve({ code, stdout, stderr }));
  });
  return {
    ended,
    printed: (words) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          if (stdout.includes(words)) resolve();
        };
        child.stdout.on("data", look);
        look();
        void ended.then(() =>
          reject(new Error(`dragoman exited; stdout: "${stdout}", stderr: "${stderr}"`)),
        );
      }),
    interrupt: () => child.kill("SIGINT"),
  };
}
