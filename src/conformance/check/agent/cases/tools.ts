import { readFile } from "node:fs/promises";
import { join } from "node:path";
import {
  type ScriptPart,
  type PlannedStep,
  type ScriptEntry,
  type Step,
  text,
  toolCall,
} from "../../../scripted-model/index.ts";
import { isPlanPriority, isPlanStatus } from "../../../../protocol/acp/index.ts";
import { isJsonObject, objectsField, stringField } from "../../../../base/index.ts";
import { CANCELLED, PERMISSION, reject } from "../../harness/client-answers.ts";
import { isAnswered, shown } from "../../harness/reply.ts";
import { type AgentCase, stageCase, traffic } from "../case.ts";
import { type Act, stepsFor } from "../stage/act.ts";
import { callsOf, exists, type SeenCall } from "../stage/turn-facts.ts";
import { askingTurn } from "../stage/moments.ts";
import { type EndedTurn, type Stage, type StageTurn, toolResultsIn } from "../stage/stage.ts";
import { ifUnmet } from "../../harness/errors.ts";

/** TOOL-05: every call of the turn has ended when the prompt is answered. */
function judgeNoneOpen(stage: Stage, turn: StageTurn, what: string): void {
  const calls = callsOf(stage.link, turn.session.id, turn.n);
  if (calls.length === 0) return;
  const open = calls.filter((call) => !isFinal(call));
  const words = open.map(({ id, status }) => `${id} is ${status}`).join(", ");
  const frames = open.flatMap((call) => call.frames);
  const count = `${calls.length} calls after ${what}`;
  stage.check.judge("DRA-TOOL-05", open.length === 0, count, words || "all ended", frames);
}

const reported = stageCase("tools/reported", async (check, stage) => {
  await judgeOrdinary(stage);
  await judgeFailures(stage);
  await judgeAfterReject(stage);
  await judgeAfterCancel(stage);
});

/** A read, a write and a command: each is a tool call. */
async function judgeOrdinary(stage: Stage): Promise<void> {
  const session = await stage.session({ "known.txt": "known\n" });
  const made = join(session.cwd, "made.txt");
  const all: readonly Act[] = [
    { tool: "read", path: join(session.cwd, "known.txt") },
    { tool: "write", path: made, content: "one line\n" },
    { tool: "shell", command: "echo hello" },
  ];
  for (const act of all) {
    const turn = await stage.act(session, act);
    if (!turn) continue;
    const calls = callsOf(stage.link, session.id, turn.n);
    const words = `the tool to ${act.tool}: ${calls.length} calls`;
    stage.check.judge("DRA-TOOL-01", calls.length > 0, words, turn.end.frames);
    if (isAnswered(turn.end)) judgeNoneOpen(stage, turn, "an ordinary turn");
    if (act.tool === "write" && (await exists(made))) await judgeDiff(stage, turn, made);
  }
}

/** TOOL-08: the diff shows what is then in the file. */
async function judgeDiff(stage: Stage, turn: StageTurn, path: string): Promise<void> {
  const calls = callsOf(stage.link, turn.session.id, turn.n);
  // A permission request may be the only place with the diff.
  const asked = stage
    .requests(PERMISSION, turn.n)
    .flatMap(({ params }) =>
      isJsonObject(params["toolCall"]) ? objectsField(params["toolCall"], "content") : [],
    );
  const diffs = [...calls.flatMap(({ content }) => content), ...asked].filter(
    ({ type }) => type === "diff",
  );
  const wanted = await readFile(path, "utf8");
  const isRight = diffs.some((diff) => stringField(diff, "newText") === wanted);
  const texts = diffs.map((diff) => diff["newText"]);
  const words = `diffs to ${shown(texts)}, and ${shown(wanted)} in the file`;
  const frames = calls.flatMap((call) => call.frames);
  stage.check.judge("DRA-TOOL-08", isRight, words, frames);
}

/** TOOL-06: a missing file and a command that fails are failed calls. */
async function judgeFailures(stage: Stage): Promise<void> {
  const { check } = stage;
  const session = await stage.session();
  const missing = join(session.cwd, "missing.txt");
  const failing: readonly (readonly [what: string, act: Act])[] = [
    ["a command that exits with 3", { tool: "shell", command: "exit 3" }],
    ["a missing file", { tool: "read", path: missing }],
  ];
  const isLenient = stage.check.run.subject.recipe?.missingFile === "empty";
  for (const [what, act] of failing) {
    const turn = act.tool === "read" && isLenient ? undefined : await stage.act(session, act);
    const calls = turn ? callsOf(stage.link, session.id, turn.n) : [];
    if (!turn || calls.length === 0 || !isAnswered(turn.end)) continue;
    const statuses = calls.map(({ status }) => status);
    const frames = calls.flatMap((call) => call.frames);
    check.judge("DRA-TOOL-06", statuses.includes("failed"), what, statuses, frames);
    judgeNoneOpen(stage, turn, what);
  }
}

async function judgeAfterReject(stage: Stage): Promise<void> {
  const held = await askingTurn(stage, await stage.session()).catch(ifUnmet);
  if (!held) return;
  stage.permission = reject;
  await held.request.answer(reject(held.request));
  if (isAnswered(await stage.endOf(held))) judgeNoneOpen(stage, held, "a rejection");
}

async function judgeAfterCancel(stage: Stage): Promise<void> {
  const held = await askingTurn(stage, await stage.session()).catch(ifUnmet);
  if (!held) return;
  stage.permission = () => CANCELLED;
  stage.cancel(held.session);
  await held.request.answer(CANCELLED);
  if (isAnswered(await stage.endOf(held))) judgeNoneOpen(stage, held, "a cancel");
}

const MANY_BYTES = 5_000_000;

const odd = stageCase("tools/odd", async (check, stage) => {
  stage.needModel();
  const session = await stage.session({ "one.txt": "word one\n", "two.txt": "word two\n" });
  const both = ["one.txt", "two.txt"].map((name): Act => ({
    tool: "read",
    path: join(session.cwd, name),
  }));
  const command = `head -c ${MANY_BYTES} /dev/zero | tr '\\0' x`;
  const flood = stepsFor({ tool: "shell", command }, recipeTools(stage), () => {});
  const tries: readonly (readonly [what: string, steps: readonly ScriptEntry[], min: number])[] = [
    ["two calls in one step", [together(stage, both)], 2],
    ["arguments that are not JSON", [broken(stage, both)], 0],
    ["5 MB of output", flood, 0],
  ];
  for (const [what, steps, wantedResults] of tries) {
    const turn: EndedTurn = await stage.turn(
      await stage.session({ "one.txt": "word one\n", "two.txt": "word two\n" }),
      { ending: [...steps, text("All done.")] },
    );
    const results = new Set(toolResultsIn(turn.calls).map(({ id }) => id)).size;
    const isKept = turn.end.kind === "result" && results >= wantedResults;
    const words = `the model got ${results} result(s)`;
    check.judge("DRA-TOOL-10", isKept, what, turn.end, words);
    if (isAnswered(turn.end)) continue;
    stage.cancel(turn.session);
    await stage.endOf(turn);
  }
});

function recipeTools(stage: Stage): Parameters<typeof stepsFor>[1] {
  return stage.check.run.subject.recipe?.tools;
}

/** One step of the model with the calls of several acts. */
function together(stage: Stage, acts: readonly Act[]): ScriptEntry {
  return async (call) => {
    const steps: ScriptPart[] = [];
    for (const act of acts) {
      const [entry] = stepsFor(act, recipeTools(stage), () => {});
      if (entry) steps.push(...partsOf(typeof entry === "function" ? await entry(call) : entry));
    }
    return steps;
  };
}

/** One step with a call whose arguments are cut. */
function broken(stage: Stage, acts: readonly Act[]): ScriptEntry {
  const whole = together(stage, acts.slice(0, 1));
  return async (call) => {
    const parts = partsOf(typeof whole === "function" ? await whole(call) : whole);
    return parts.map((part) =>
      part.type === "tool_call" ? toolCall(part.name, '{"path": "one') : part,
    );
  };
}

function partsOf(step: Step): readonly ScriptPart[] {
  return "type" in step ? [step] : step;
}

const FIRST: readonly PlannedStep[] = [
  { content: "Look around", status: "in_progress" },
  { content: "Write the file", status: "pending" },
  { content: "Run the command", status: "pending" },
];
const LATER: readonly PlannedStep[] = [
  { content: "Look around", status: "completed" },
  { content: "Write the file", status: "in_progress" },
  { content: "Run the command", status: "pending" },
];

const plans = stageCase("plan/todo-tool", async (check, stage) => {
  stage.needModel();
  const session = await stage.session();
  // A second list would be new tasks for an agent that adds tasks one by one.
  const isIncremental = (check.run.subject.recipe?.tools.plan(FIRST).length ?? 1) > 1;
  const lists = isIncremental ? [FIRST] : [FIRST, LATER];
  const after = stage.link.frames.length;
  for (const entries of lists) await stage.turn(session, { acts: [{ tool: "plan", entries }] });
  const all = stage.link.updates(session.id, after, "plan");
  check.judge("DRA-PLAN-01", all.length > 0, `${all.length} plans`, all);
  const last = all.at(-1);
  if (!last) return;
  const entries = objectsField(last.update, "entries");
  const wanted = lists.at(-1) ?? FIRST;
  const isWhole = wanted.every(({ content, status }) =>
    entries.some((entry) => entry["content"] === content && entry["status"] === status),
  );
  const isValid = all
    .flatMap(({ update }) => objectsField(update, "entries"))
    .every(({ status, priority }) => isPlanStatus(status) && isPlanPriority(priority));
  check.judge("DRA-PLAN-02", isWhole && isValid, `the entries ${JSON.stringify(entries)}`, all);
});

export const toolCases: readonly AgentCase[] = [traffic(reported), odd];
export const planCases: readonly AgentCase[] = [plans];

function isFinal({ status }: Pick<SeenCall, "status">): boolean {
  return status === "completed" || status === "failed";
}
