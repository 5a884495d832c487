import { readFile, stat } from "node:fs/promises";
import { isAbsolute, join } from "node:path";
import { expect } from "vitest";
import type { Session, Update } from "../../../src/entries/dragoman.ts";
import type { ToolCallContent } from "../../../src/protocol/acp/index.ts";
import {
  hang,
  text,
  type ScriptEntry,
  type Step,
} from "../../../src/conformance/scripted-model/index.ts";
import { wantedPlan, type Hand, type Observed, type ScenarioName } from "./recipe.ts";
import { until, type Rig } from "./rig.ts";

type Scenario<S extends ScenarioName> = (rig: Rig) => Promise<Observed[S]>;

/** Each runs the agent through the library, asserts what all agents must do, and returns what differs. */
export const scenarios: { readonly [S in ScenarioName]: Scenario<S> } = {
  async plan(rig) {
    const session = await rig.session();
    await finish(rig, session, rig.recipe.tools.plan(wantedPlan));
    expect(toolResults(rig)).not.toEqual([]);
    return { entries: session.plan.map(({ content, status }) => `${content}: ${status}`) };
  },

  async read(rig) {
    const session = await rig.session({ "notes.txt": "first line\nsecond line\n" });
    await finish(rig, session, [rig.recipe.tools.read(join(session.cwd, "notes.txt"))]);
    expect(toolResults(rig).join("\n")).toContain("second line");
    expect(lastToolCall(session)).toMatchObject({ kind: "read", status: "completed" });
    expect(rig.asked).toEqual([]);
    return { by: hand(rig, "fs/read_text_file") };
  },

  async write(rig) {
    const session = await rig.session();
    const path = join(session.cwd, "made.txt");
    await finish(rig, session, [rig.recipe.tools.write(path, "new line\n")]);
    expect(await readFile(path, "utf8")).toBe("new line\n");
    expect(rig.asked[0]).toMatchObject({ kind: "edit", subject: { type: "tool_call" } });
    expect(lastToolCall(session)).toMatchObject({ kind: "edit", status: "completed" });
    return { asked: rig.questions, by: hand(rig, "fs/write_text_file") };
  },

  async edit(rig) {
    const session = await rig.session({ "notes.txt": "first line\nsecond line\n" });
    const path = join(session.cwd, "notes.txt");
    const { tools } = rig.recipe;
    const shown: ToolCallContent[] = [];
    const steps = [tools.read(path), tools.edit(path, "first line", "changed line")];
    await finish(rig, session, steps, (update) => {
      if (update.type === "tool_call" || update.type === "tool_call_update") {
        shown.push(...(update.content ?? []));
      }
    });
    shown.push(...rig.asked.flatMap(({ toolCall }) => toolCall?.content ?? []));
    expect(await readFile(path, "utf8")).toBe("changed line\nsecond line\n");
    return {
      asked: rig.questions,
      by: hand(rig, "fs/write_text_file"),
      diffPaths: diffPaths(shown),
    };
  },

  async shell(rig) {
    const session = await rig.session();
    await finish(rig, session, [rig.recipe.tools.shell(command)]);
    expect(await readFile(join(session.cwd, "made.txt"), "utf8")).toBe("by the shell");
    expect(toolResults(rig).join("\n")).toContain("by the shell");
    expect(rig.asked[0]).toMatchObject({ kind: "execute", subject: { type: "tool_call" } });
    expect(lastToolCall(session)).toMatchObject({ kind: "execute", status: "completed" });
    return { asked: rig.questions, by: hand(rig, "terminal/create") };
  },

  async cancelMidStream(rig) {
    const session = await rig.session();
    const stop = hang();
    rig.model.push([text("Once upon a time"), stop, text(" there was nobody.")]);
    const turn = session.prompt("Tell a story");
    await until(turn, "Once upon");
    await turn.cancel();
    const { stopReason } = await turn.result;
    const call = await stop.arrived;
    expect(await call.ended).toBe("aborted");
    await stillAnswers(rig, session);
    return { stopReason };
  },

  async cancelWhileAsked(rig) {
    const session = await rig.session();
    let aborted = false;
    const open = new Promise<void>((resolve) => {
      rig.answer = ({ signal }) => {
        signal.addEventListener("abort", () => (aborted = true));
        resolve();
        return new Promise(() => {});
      };
    });
    rig.model.push(rig.recipe.tools.shell(command));
    const turn = session.prompt("Run the command");
    await open;
    expect(session.turnState).toBe("waiting_permission");
    await turn.cancel();
    const { stopReason } = await turn.result;
    expect(aborted).toBe(true);
    expect([...session.toolCalls.values()].filter(isOpen)).toEqual([]);
    expect(await exists(join(session.cwd, "made.txt"))).toBe(false);
    await stillAnswers(rig, session);
    return { stopReason };
  },

  async reject(rig) {
    const session = await rig.session();
    rig.answer = "deny";
    const path = join(session.cwd, "made.txt");
    const before = rig.model.calls.length;
    rig.model.push(rig.recipe.tools.write(path, "never\n"));
    if (rig.recipe.expected.reject.modelGoesOn) rig.model.push(text("As you wish."));
    const turn = session.prompt("Write the file");
    const answer = await turn.text();
    const { stopReason } = await turn.result;
    const modelGoesOn = rig.model.calls.length - before > 1;
    expect(answer.includes("As you wish.")).toBe(modelGoesOn);
    expect(await exists(path)).toBe(false);
    expect(rig.questions).toEqual(["tool call"]);
    const toolCall = lastToolCall(session)?.status ?? "none";
    await stillAnswers(rig, session);
    return { stopReason, modelGoesOn, toolCall };
  },

  async load(rig) {
    const first = await rig.session({ "notes.txt": "first line\n" });
    const { id: sessionId, cwd } = first;
    const word = "the word is heliotrope";
    const lastWord = "I will remember.";
    const { recipe } = rig;
    rig.model.push(recipe.tools.read(join(cwd, "notes.txt")), text(lastWord));
    expect(await first.prompt(`Remember: ${word}`).text()).toContain(lastWord);
    const hasSaved = (): unknown => recipe.hasSaved?.(rig.home.home, lastWord) ?? true;
    await expect.poll(hasSaved, { timeout: 30_000 }).toBe(true);
    await rig.restart();

    const early: Update[] = [];
    const session = await rig.client.loadSession({
      sessionId,
      cwd,
      onReplay: (update) => early.push(update),
    });
    const replayed = await collect(session, lastWord);
    const call = rig.model.calls.length;
    await stillAnswers(rig, session);
    const known = rig.model.calls[call]?.messages ?? [];
    expect(known.map((message) => message.text).join("\n")).toContain(word);
    expect(userText(replayed)).toContain(word);
    const kinds = new Set(replayed.map(({ type }) => type));
    return {
      replays: [
        ...(kinds.has("user_message_chunk") ? (["user"] as const) : []),
        ...(kinds.has("agent_message_chunk") ? (["agent"] as const) : []),
        ...(kinds.has("tool_call") || kinds.has("tool_call_update")
          ? (["tool call"] as const)
          : []),
      ],
      inTime: early.some((update) => update.text.includes(lastWord)),
    };
  },
};

/** Every agent asks permission for it, because it writes. It works only in the session's folder. */
const command = 'printf "by the shell" > made.txt && cat made.txt';

/**
 * Runs one turn with these steps and a final message, and checks that it ends normally. It does not use
 * the model's `verify`: an agent may call the model once more before it handles a cancel, and then drop
 * that call midway (seen in claude 0.49.0).
 */
async function finish(
  rig: Rig,
  session: Session,
  steps: readonly Step[],
  onUpdate: (update: Update) => void = () => {},
): Promise<void> {
  const script: ScriptEntry[] = [...steps, text("All done.")];
  rig.model.push(...script);
  const turn = session.prompt("Go on");
  let answer = "";
  for await (const update of turn) {
    onUpdate(update);
    answer += update.text;
  }
  expect(answer).toContain("All done.");
  expect((await turn.result).stopReason).toBe("end_turn");
  expect(rig.model.stepsLeft).toBe(0);
}

async function stillAnswers(rig: Rig, session: Session): Promise<void> {
  rig.model.push(text("Still here."));
  const turn = session.prompt("Are you there?");
  expect(await turn.text()).toContain("Still here.");
  expect((await turn.result).stopReason).toBe("end_turn");
  expect(rig.model.stepsLeft).toBe(0);
}

/** The tool results in the last request to the model. */
function toolResults(rig: Rig): readonly string[] {
  const messages = rig.model.calls.at(-1)?.messages ?? [];
  return messages.flatMap(({ toolResults }) => toolResults.map((result) => result.text));
}

function hand(rig: Rig, method: string): Hand {
  return rig.requests.includes(method) ? "client" : "agent";
}

function lastToolCall(session: Session) {
  return [...session.toolCalls.values()].at(-1);
}

function isOpen({ status }: { readonly status: string }): boolean {
  return status === "pending" || status === "in_progress";
}

function diffPaths(shown: readonly ToolCallContent[]): Observed["edit"]["diffPaths"] {
  const paths = shown.flatMap((item) => (item.type === "diff" ? [item.path] : []));
  const found: ("absolute" | "relative")[] = [];
  if (paths.some((path) => isAbsolute(path))) found.push("absolute");
  if (paths.some((path) => !isAbsolute(path))) found.push("relative");
  return found;
}

/** Collects the updates of a loaded session up to the agent's last message. */
async function collect(session: Session, lastWord: string): Promise<readonly Update[]> {
  const updates: Update[] = [];
  for await (const event of session.updates()) {
    if (!("raw" in event)) continue;
    updates.push(event);
    if (event.text.includes(lastWord)) break;
  }
  return updates;
}

function userText(updates: readonly Update[]): string {
  return updates
    .flatMap((update) => (update.type === "user_message_chunk" ? [update.content] : []))
    .map((content) => (content.type === "text" ? content.text : ""))
    .join("");
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

/** Whether the agent can create a file, which may depend on the client. */
export async function writesANewFile(rig: Rig): Promise<boolean> {
  const session = await rig.session();
  const path = join(session.cwd, "made.txt");
  await finish(rig, session, [rig.recipe.tools.write(path, "new line\n")]);
  return exists(path);
}
