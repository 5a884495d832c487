import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type {
  AskUserAnswer,
  DroidClient,
  NewSessionOptions,
  PermissionAnswer,
  Turn,
} from "../../../src/droid/index.ts";
import type { ReplayedTurn, TranscriptEntry } from "../../droid/replay.ts";
import type { DroidHome, DroidHomeOptions } from "../../support/droid/home.ts";
import { text, thinking, toolCall, usage, type ScriptEntry } from "../../support/model/index.ts";
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
}

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
  "slash-command": {
    prepare: async ({ workspace }) => {
      await mkdir(join(workspace, ".factory", "commands"), { recursive: true });
      const path = join(workspace, ".factory", "commands", "hello.md");
      await writeFile(path, "---\ndescription: greet\n---\nSay hello to $ARGUMENTS\n");
    },
  },
};

/** What hangs on something that a run cannot repeat, or is tested by itself. */
export const NOT_REPEATABLE =
  /^(?:interrupt-|llm-|protocol-errors|compact-session|resume-load|subagent-task|busy-)/;

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

export function scriptOf(turn: ReplayedTurn, workspace: string): ScriptEntry[] {
  const [, steps] = /@@(\[.*\])@@/s.exec(turn.prompt.replaceAll("/workspace", workspace)) ?? [];
  if (steps === undefined) return [text(textIn(turn.events))];
  return (JSON.parse(steps) as ScriptedStep[]).map((step) => [
    ...(step.think === undefined ? [] : [thinking(step.think)]),
    ...(step.text === undefined ? [] : [text(step.text, { chunks: 3 })]),
    ...(step.tools ?? []).map((tool) => toolCall(tool.name, tool.input, { chunks: 4 })),
    ...(step.promptTokens === undefined ? [] : [usage({ input: step.promptTokens })]),
  ]);
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
  readonly permissions: PermissionAnswer[];
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

const PIXEL = {
  mediaType: "image/png",
  data: "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
};

/** The mode the captured session was begun in. */
export function modeIn(entries: readonly TranscriptEntry[]): NewSessionOptions["interactionMode"] {
  const began = entries.find(({ frame }) => frame["method"] === "droid.initialize_session");
  const params = (began?.frame["params"] ?? {}) as Record<string, string>;
  return params["interactionMode"] as NewSessionOptions["interactionMode"];
}

/** Prepares the folder as the captured Droid found it. */
export async function prepare(names: readonly string[], home: DroidHome): Promise<void> {
  await writeFile(join(home.workspace, "README.md"), "hello");
  for (const name of names) await setupOf(name).prepare?.(home);
}

/** Sends a captured prompt once more. */
export function promptAgain(
  droid: DroidClient,
  name: string,
  turn: ReplayedTurn,
  answers: CapturedAnswers,
): Turn {
  return droid.prompt(
    { text: turn.prompt, ...(name.startsWith("image") ? { images: [PIXEL] } : {}) },
    {
      onPermission: () => answers.permissions.shift() ?? "cancel",
      onAskUser: () => answers.questions.shift() ?? null,
    },
  );
}

/** Servers of the project connect after the session has begun. */
export async function untilConnected(droid: DroidClient): Promise<void> {
  const isThere = async (): Promise<boolean> =>
    (await droid.request("listMcpTools", {})).some(({ serverName }) => serverName === "tiny");
  await new Promise<void>((resolve) => {
    const look = (): void => void isThere().then((there) => there && resolve());
    droid.subscribe(({ type }) => type === "mcp" && look());
    look();
  });
}
