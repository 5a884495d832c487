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
} from "../../support/model/index.ts";
import { textIn } from "./events.ts";
import { writeMcpServer } from "./mcp-server.ts";

/**
 * The captures say in their prompts what the model did, and hold the answers that were given. From
 * them the same can be made to happen once more, with any Droid.
 */

interface ScriptedStep {
  readonly text?: string;
  readonly think?: string;
  readonly tools?: readonly { readonly name: string; readonly input: unknown }[];
  readonly promptTokens?: number;
  /** The service answered with this status, however often it was asked. */
  readonly status?: number;
  /** The stream broke off after the text, however often it was tried. */
  readonly cut?: boolean;
}

/** More often than Droid asks again. */
const TRIES = 12;

const PACE = { chunks: 3, delayMs: 60 };

const command = (line: string): object => ({ type: "command", command: line });

/** What a capture's Droid found in its folder and its settings. */
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
  // 0.99.0 was given the server at the start, which it does not start: there the tool is unknown.
  "mcp-tool-0.225.2": {
    prepare: async ({ workspace }) => {
      const server = { type: "stdio", command: "node", args: [await writeMcpServer(workspace)] };
      await mkdir(join(workspace, ".factory"));
      const settings = { mcpServers: { tiny: server } };
      await writeFile(join(workspace, ".factory", "mcp.json"), JSON.stringify(settings));
    },
  },
  // Its Droid had been told to compact at a small size; 0.99 keeps that in the user's settings.
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
 * Captures that are not made of turns alone: refused frames, a compaction, a session loaded after a
 * kill. What happens in them again is written out in captures.test.ts.
 */
export const NOT_TURNS = /^(?:protocol-errors|compact-session|resume-load)/;

/** Those in which Droid keeps asking a failing service for some twenty seconds. */
export const SLOW = /^llm-error-429-0\.225/;

/**
 * Captures of one session belong together, in their order: what one leaves behind (a to-do list),
 * the next one finds.
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
      // The break comes by itself, so that the text before it is not lost with the connection.
      const broken = [text(step.text ?? "", PACE), text("", PACE), brokenStream()];
      return Array.from({ length: TRIES }, () => broken);
    }
    // Text that was interrupted got as far as the events show, and no further.
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

/** Paths of this run in place of those of the capture; specs of one name are numbered. */
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

/** The mode the captured session was begun in. */
export function modeIn(
  entries: readonly TranscriptEntry[],
): NewDroidSessionOptions["interactionMode"] {
  const began = entries.find(({ frame }) => frame["method"] === "droid.initialize_session");
  const params = (began?.frame["params"] ?? {}) as Record<string, string>;
  return params["interactionMode"] as NewDroidSessionOptions["interactionMode"];
}

/** Prepares the folder as the captured Droid found it. */
export async function prepare(names: readonly string[], home: DroidHome): Promise<void> {
  await writeFile(join(home.workspace, "README.md"), "hello");
  for (const name of names) await setupOf(name).prepare?.(home);
}
