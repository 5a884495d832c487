import { mkdir, mkdtemp, readdir, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import { createDroidHome } from "../../support/droid/home.ts";
import { ensureDroid, newestDroid } from "../../support/droid/install.ts";
import { processesWithHome } from "../../support/droid/leftovers.ts";
import {
  hang,
  ModelServer,
  type Step,
  text,
  toolCall,
} from "../../../src/conformance/scripted-model/index.ts";
import { createAgentHome } from "../agents/home.ts";
import type { AgentCommand } from "./client.ts";
import { opencode } from "../agents/recipes.ts";

/** A prompt, and a text that the agent's messages will contain. */
interface Prompt {
  readonly say: string;
  readonly expect: string;
}

/** A prompt that asks for permission, and a text that the messages will contain after either answer. */
interface WritePrompt {
  readonly say: string;
  readonly allowed: string;
  readonly denied: string;
}

/** One of our agents with its own home, ready to be started by a client. */
export interface Stage {
  readonly agent: AgentCommand;
  /** Prepares an ordinary answer. */
  answer(): Prompt;
  /** Prepares a turn that asks for permission and then writes `made.txt`. */
  write(): WritePrompt;
  /** Prepares a turn that says something and then waits to be cancelled. */
  wait(): Prompt;
  /** Checks that the cancel of that turn had an effect. */
  verifyCancelled(): Promise<void>;
  /** Checks that the session knows an earlier prompt, after another one. */
  verifyRemembers(sessionId: string, words: string): Promise<void>;
  /** Checks that nothing is left running, and removes everything. */
  dispose(): Promise<void>;
}

/** Starts a stage, given the files of the built commands. */
export type StageStarter = (bins: {
  readonly dragoman: string;
  readonly droidAcp: string;
}) => Promise<Stage>;

export const agents = {
  "demo agent": demoStage,
  "droid-acp": droidStage,
} as const satisfies Record<string, StageStarter>;

export type AgentName = keyof typeof agents;

export const agentNames: readonly AgentName[] = ["demo agent", "droid-acp"];

async function demoStage({ dragoman }: { readonly dragoman: string }): Promise<Stage> {
  const root = await realpath(await mkdtemp(join(tmpdir(), "dragoman-demo-")));
  const [home, cwd, temp] = [join(root, "home"), join(root, "workspace"), join(root, "tmp")];
  for (const folder of [home, cwd, temp]) await mkdir(folder);
  await writeFile(join(cwd, "README.md"), "# Heron\n\nCounts the herons of a pond.\n");
  const env = {
    PATH: process.env["PATH"] ?? "/usr/bin:/bin",
    HOME: home,
    TMPDIR: temp,
    LANG: "C.UTF-8",
    DRAGOMAN_DEMO_STATE: join(home, "sessions"),
    // Nothing listens on this port, so every connection through the proxy fails.
    HTTP_PROXY: "http://127.0.0.1:9",
    HTTPS_PROXY: "http://127.0.0.1:9",
    NO_PROXY: "127.0.0.1,localhost",
  };
  return {
    agent: { command: process.execPath, args: [dragoman, "demo-agent"], env, cwd },
    // The example clients serve other contents for every file, so only the name is certain.
    answer: () => ({ say: "What does this project do?", expect: "README.md" }),
    write: () => ({
      say: "/edit made.txt by the agent",
      allowed: "made.txt has one more line.",
      denied: "I left the file unchanged.",
    }),
    wait: () => ({ say: "/hang", expect: "Cancel me." }),
    verifyCancelled: async () => {},
    verifyRemembers: async (sessionId, words) => {
      const files = await readdir(home, { recursive: true });
      const file = files.find((name) => name.includes(sessionId)) ?? "no file of the session";
      const saved = await readFile(join(home, file), "utf8");
      expect(saved).toContain(words);
      expect(saved.split("user_message_chunk").length).toBeGreaterThan(2);
    },
    dispose: async () => {
      try {
        await expectNothingLeft(home);
      } finally {
        await rm(root, { recursive: true, force: true, maxRetries: 5 });
      }
    },
  };
}

/** OpenCode, which another vendor wrote. */
export async function openCodeStage(): Promise<Stage> {
  const model = await ModelServer.start();
  const home = await createAgentHome(opencode, model.url);
  const cwd = await home.workspace();
  const { command, args, env } = home;
  return {
    agent: { command, args, env, cwd },
    ...scriptedTurns(model, () => opencode.tools.write(join(cwd, "made.txt"), "by the agent\n")),
    dispose: () => disposeScripted(model, home),
  };
}

async function droidStage({ droidAcp }: { readonly droidAcp: string }): Promise<Stage> {
  const executable = await ensureDroid(newestDroid);
  const model = await ModelServer.start();
  const home = await createDroidHome({ modelUrl: model.url });
  const command = "printf 'by the agent\\n' > made.txt";
  const risk = { riskLevel: "medium", riskLevelReason: "it writes a file" };
  return {
    agent: {
      command: process.execPath,
      args: [droidAcp, "--droid", executable, "--model", home.modelId],
      env: home.env,
      cwd: home.workspace,
    },
    ...scriptedTurns(model, () =>
      toolCall("Execute", { summary: "Write", command, timeout: 60, ...risk }),
    ),
    dispose: () => disposeScripted(model, home),
  };
}

/** The turns of an agent that a scripted model drives. */
function scriptedTurns(model: ModelServer, write: () => Step): Omit<Stage, "agent" | "dispose"> {
  const stop = hang();
  return {
    answer: () => {
      model.push(text("It counts herons."));
      return { say: "What does this project do?", expect: "It counts herons." };
    },
    write: () => {
      // Both agents end the turn after a denial.
      model.push([text("I will write it."), write()].flat(), text("That is all."));
      return { say: "Write the file", allowed: "That is all.", denied: "I will write it." };
    },
    wait: () => {
      model.push([text("Once upon a time"), stop, text(" there was nobody.")]);
      return { say: "Tell a story", expect: "Once upon" };
    },
    verifyCancelled: async () => {
      expect(await (await stop.arrived).ended).toBe("aborted");
    },
    verifyRemembers: async (_, words) => {
      const known = model.calls.at(-1)?.messages ?? [];
      expect(known.map((message) => message.text).join("\n")).toContain(words);
    },
  };
}

async function disposeScripted(
  model: ModelServer,
  home: { readonly home: string; remove(): Promise<void> },
): Promise<void> {
  try {
    await expectNothingLeft(home.home);
  } finally {
    await model.close();
    await home.remove();
  }
}

/** A client may end a moment before its agent does. */
async function expectNothingLeft(home: string): Promise<void> {
  await expect.poll(() => processesWithHome(home), { timeout: 20_000 }).toEqual([]);
}
