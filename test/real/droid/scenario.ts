import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type {
  AskUserAnswer,
  NewDroidSessionOptions,
  DroidPermissionAnswer,
} from "../../../src/entries/droid.ts";
import type { ReplayedTurn, TranscriptEntry } from "../../droid/replay.ts";
import type { DroidHome, DroidHomeOptions } from "../../support/droid/home.ts";
import {
  brokenStream,
  hang,
  httpError,
  text,
  thinking,
  toolCall,
  usage,
  type ScriptEntry,
} from "../../../src/conformance/scripted-model/index.ts";
import { textIn } from "./events.ts";
import { writeMcpServer } from "./mcp-server.ts";

/**
 * The prompts of the captures describe what the model did, and the captures contain the answers of
 * the client. That is enough to repeat them with any Droid.
 */

interface ScriptedStep {
  readonly text?: string;
  readonly think?: string;
  readonly tools?: readonly { readonly name: string; readonly input: unknown }[];
  readonly promptTokens?: number;
  /** The service answered every request with this status. */
  readonly status?: number;
  /** The stream broke off after the text at every attempt. */
  readonly cut?: boolean;
}

/** More than the number of Droid's retries. */
const TRIES = 12;

const PACE = { chunks: 3, delayMs: 60 };

const command = (line: string): object => ({ type: "command", command: line });

/** The folder and settings of Droid during a capture. */
interface Setup {
  readonly home?: Partial<DroidHomeOptions>;
  readonly prepare?: (home: DroidHome) => Promise<unknown>;
}

const setups: Readonly<Record<string, Setup>> = {
  "edit-and-todo": {
    prepare: ({ workspace }) => writeFile(join(workspace, "new.txt"), "a\nb\n"),
  },
  "thinking-anthropic": { home: { provider: "anthropic" } },
  "image-prompt": { home: { provider: "anthropic", images: true } },
  hooks: {
    home: {
      settings: {
        hooks: {
          UserPromptSubmit: [{ hooks: [command("echo ups")] }],
          PreToolUse: [{ matcher: "Execute", hooks: [command("echo pre-hook")] }],
          PostToolUse: [{ matcher: "Execute", hooks: [command("echo post-hook; exit 0")] }],
          Stop: [{ hooks: [command("echo stop")] }],
        },
      },
    },
  },
  // 0.99.0 got the server when the session was opened, and does not start it, so the tool is unknown there.
  "mcp-tool-0.225.2": {
    prepare: async ({ workspace }) => {
      const server = { type: "stdio", command: "node", args: [await writeMcpServer(workspace)] };
      await mkdir(join(workspace, ".factory"));
      const settings = { mcpServers: { tiny: server } };
      await writeFile(join(workspace, ".factory", "mcp.json"), JSON.stringify(settings));
    },
  },
  // In this capture Droid compacts at a small size; 0.99 stores that in the user's settings.
  "subagent-task": {
    home: { settings: { compactionTokenLimit: 500 } },
    prepare: async ({ workspace }) => {
      await mkdir(join(workspace, ".factory", "droids"), { recursive: true });
      const path = join(workspace, ".factory", "droids", "mysub.md");
      await writeFile(path, "---\nname: mysub\ndescription: does a job\n---\nDo the job.\n");
    },
  },
  "slash-command": {
    prepare: async ({ workspace }) => {
      await mkdir(join(workspace, ".factory", "commands"), { recursive: true });
      const path = join(workspace, ".factory", "commands", "hello.md");
      await writeFile(path, "---\ndescription: greet\n---\nSay hello to $ARGUMENTS\n");
    },
  },
};

/**
 * Captures with more than turns: invalid frames, a compaction, a session loaded after a kill. They
 * have their own tests in captures.test.ts.
 */
export const NOT_TURNS = /^(?:protocol-errors|compact-session|resume-load)/;

/** Captures in which Droid retries a failing service for about twenty seconds. */
export const SLOW = /^llm-error-429-0\.225/;

/**
 * Groups the captures by session, in order, because a capture may depend on the state that an earlier
 * one left behind (such as a to-do list).
 */
export function bySession(
  names: readonly string[],
  read: (name: string) => readonly TranscriptEntry[],
): string[][] {
  const sessions = new Map<string, { name: string; t: number }[]>();
  for (const name of names) {
    const entries = read(name);
    const id = /"(?:sessionId|newSessionId)":"([^"]+)"/.exec(JSON.stringify(entries))?.[1] ?? name;
    const members = sessions.get(id) ?? [];
    members.push({ name, t: entries[0]?.t ?? 0 });
    sessions.set(id, members);
  }
  return [...sessions.values()].map((members) =>
    members.toSorted((a, b) => a.t - b.t).map(({ name }) => name),
  );
}

export function setupOf(name: string): Setup {
  return setups[name] ?? setups[name.replace(/-[^-]*$/, "")] ?? {};
}

/** What the model did in a captured turn. */
export function scriptOf(turn: ReplayedTurn, workspace: string): ScriptEntry[] {
  const [, steps] = /@@(\[.*\])@@/s.exec(turn.prompt.replaceAll("/workspace", workspace)) ?? [];
  if (steps === undefined) return [text(textIn(turn.events))];
  return (JSON.parse(steps) as ScriptedStep[]).flatMap((step): ScriptEntry[] => {
    const { status, cut } = step;
    if (status !== undefined) {
      const error = httpError(status, { error: { message: `mock error ${status}` } });
      return Array.from({ length: TRIES }, () => error);
    }
    if (cut) {
      // The break comes separately, so that the text before it is not lost with the connection.
      const broken = [text(step.text ?? "", PACE), text("", PACE), brokenStream()];
      return Array.from({ length: TRIES }, () => broken);
    }
    // Interrupted text ends where the events end.
    if (turn.interrupt && step.text !== undefined && step.tools === undefined)
      return textIn(turn.events) === "" ? [] : [[text(textIn(turn.events), { chunks: 3 }), hang()]];
    return [
      [
        ...(step.think === undefined ? [] : [thinking(step.think)]),
        ...(step.text === undefined ? [] : [text(step.text, { chunks: 3 })]),
        ...(step.tools ?? []).map((tool) => toolCall(tool.name, tool.input, { chunks: 4 })),
        ...(step.promptTokens === undefined ? [] : [usage({ input: step.promptTokens })]),
      ],
    ];
  });
}

/**
 * Replaces the paths of this run with those of the capture, and removes the numbers of specs with
 * the same name.
 */
export function normalized(lines: readonly string[], home: DroidHome): string[] {
  return lines.map((line) =>
    line
      .replaceAll(home.workspace, "/workspace")
      .replaceAll(home.home, "/home/user")
      .replaceAll(/(specs\/[^"]*?)(?:-\d+)?\.md/g, "$1.md"),
  );
}

export interface CapturedAnswers {
  readonly permissions: DroidPermissionAnswer[];
  readonly questions: AskUserAnswer[];
}

export function answersIn(entries: readonly TranscriptEntry[]): CapturedAnswers {
  const answers: CapturedAnswers = { permissions: [], questions: [] };
  for (const { dir, frame } of entries) {
    if (dir !== "in" || frame["type"] !== "response") continue;
    const result = frame["result"] as Record<string, string> & { answers?: never[] };
    const { selectedOption: option, comment } = result;
    if (option !== undefined) answers.permissions.push({ option, comment });
    else answers.questions.push(result.answers ?? null);
  }
  return answers;
}

/** The interaction mode in which the captured session was started. */
export function modeIn(
  entries: readonly TranscriptEntry[],
): NewDroidSessionOptions["interactionMode"] {
  const start = entries.find(({ frame }) => frame["method"] === "droid.initialize_session");
  const params = (start?.frame["params"] ?? {}) as Record<string, string>;
  return params["interactionMode"] as NewDroidSessionOptions["interactionMode"];
}

/** Prepares the folder as it was for the captures. */
export async function prepare(names: readonly string[], home: DroidHome): Promise<void> {
  await writeFile(join(home.workspace, "README.md"), "hello");
  for (const name of names) await setupOf(name).prepare?.(home);
}
