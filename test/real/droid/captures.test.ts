import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type {
  AskUserAnswer,
  DroidClient,
  NewSessionOptions,
  PermissionAnswer,
} from "../../../src/droid/index.ts";
import { shapeOf } from "../../droid/format.ts";
import {
  readTranscript,
  replay,
  transcriptNames,
  type ReplayedTurn,
  type TranscriptEntry,
} from "../../droid/transcript.ts";
import type { DroidHome, DroidHomeOptions } from "../../support/droid/home.ts";
import { droidUnavailable, testedDroids, type DroidVersion } from "../../support/droid/install.ts";
import { text, thinking, toolCall, usage, type ScriptEntry } from "../../support/model/index.ts";
import { play, stage, textIn, writeMcpServer } from "./harness.ts";

/**
 * The captures say in their prompts what the model did. Here the same happens once more, with the
 * real Droid, and the same events must come of it.
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

/** What is tested elsewhere, or hangs on something a run cannot repeat. */
const ELSEWHERE =
  /^(?:interrupt-|llm-|protocol-errors|compact-session|resume-load|subagent-task|busy-)/;

/** Captures of one session belong together: what one leaves behind (a to-do list), the next one finds. */
function sessionsOf(version: DroidVersion): string[][] {
  const sessions = new Map<string, { name: string; t: number }[]>();
  for (const name of transcriptNames) {
    if (!name.endsWith(`-${version}`) || ELSEWHERE.test(name)) continue;
    const entries = readTranscript(name);
    const id = /"(?:sessionId|newSessionId)":"([^"]+)"/.exec(JSON.stringify(entries))?.[1] ?? name;
    const members = sessions.get(id) ?? [];
    members.push({ name, t: entries[0]?.t ?? 0 });
    sessions.set(id, members);
  }
  return [...sessions.values()].map((members) =>
    members.toSorted((a, b) => a.t - b.t).map(({ name }) => name),
  );
}

function setupOf(name: string): Setup {
  return setups[name] ?? setups[name.replace(/-[^-]*$/, "")] ?? {};
}

function scriptOf(turn: ReplayedTurn, workspace: string): ScriptEntry[] {
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
function normalized(lines: readonly string[], home: DroidHome): string[] {
  return lines.map((line) =>
    line
      .replaceAll(home.workspace, "/workspace")
      .replaceAll(home.home, "/home/user")
      .replaceAll(/(specs\/[^"]*?)(?:-\d+)?\.md/g, "$1.md"),
  );
}

const cases = testedDroids().flatMap((version) =>
  sessionsOf(version).map((names) => ({ version, names, title: names.join(", ") })),
);

describe.skipIf(droidUnavailable() !== undefined)("real Droid does again what was captured", () => {
  it.each(cases)("$title", { timeout: 90_000 }, async ({ version, names }) => {
    const [first = ""] = names;
    const options = Object.assign({}, ...names.map((name) => setupOf(name).home));
    const { home, model, start } = await stage(version, [], {
      // Droid asks the model once more while its to-do list is not done.
      fallback: text("done"),
      ...options,
    });
    await writeFile(join(home.workspace, "README.md"), "hello");
    for (const name of names) await setupOf(name).prepare?.(home);
    const all = names.flatMap((name) => readTranscript(name));
    const began = all.find(({ frame }) => frame["method"] === "droid.initialize_session");
    const params = (began?.frame["params"] ?? {}) as Record<string, string>;
    const mode = params["interactionMode"] as NewSessionOptions["interactionMode"];
    const droid = await start({ autonomy: "off", interactionMode: mode });
    if (first === "mcp-tool-0.225.2") await untilConnected(droid);
    const answers = answersIn(all);
    for (const name of names) {
      const captured = await replay(readTranscript(name));
      for (const turn of captured.turns) {
        model.push(...scriptOf(turn, home.workspace));
        const again = droid.prompt(
          { text: turn.prompt, ...(name.startsWith("image") ? { images: [PIXEL] } : {}) },
          {
            onPermission: () => answers.permissions.shift() ?? "cancel",
            onAskUser: () => answers.questions.shift() ?? null,
          },
        );
        const { events, result } = await play(again);
        expect(normalized(shapeOf(events), home)).toEqual(normalized(shapeOf(turn.events), home));
        expect(result.reason).toBe(turn.outcome);
      }
    }
  });
});

interface CapturedAnswers {
  readonly permissions: PermissionAnswer[];
  readonly questions: AskUserAnswer[];
}

function answersIn(entries: readonly TranscriptEntry[]): CapturedAnswers {
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

async function untilConnected(droid: DroidClient): Promise<void> {
  const isThere = async (): Promise<boolean> =>
    (await droid.request("listMcpTools", {})).some(({ serverName }) => serverName === "tiny");
  await new Promise<void>((resolve) => {
    const look = (): void => void isThere().then((there) => there && resolve());
    droid.subscribe(({ type }) => type === "mcp" && look());
    look();
  });
}
