import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { text, toolCall, type Part, type ScriptEntry, type Step } from "../../../../model/index.ts";
import { type JsonObject, stringField } from "../../../../wire/index.ts";
import { describeReply, isAnswered } from "../../../harness/reply.ts";
import { type AgentCheck, evidence } from "../../agent-check.ts";
import type { AgentCase } from "../../case.ts";
import { CANCELLED, reject } from "../client/permissions.ts";
import { callsOf, isFinal } from "../facts.ts";
import { modelCase } from "../model-case.ts";
import { askingTurn, ifUnmet } from "../moments.ts";
import { type Act, stepsFor } from "../provoke/act.ts";
import { Stage, type StageTurn } from "../stage.ts";
import { exists } from "../wait.ts";

/** TOOL-05: every call of the turn has ended when the prompt is answered. */
function judgeNoneOpen(check: AgentCheck, stage: Stage, turn: StageTurn, what: string): void {
  const calls = callsOf(stage.link, turn.session.id, turn.n);
  const open = calls.filter((call) => !isFinal(call));
  if (calls.length === 0) return;
  check.judge("DRA-TOOL-05", open.length === 0, `${calls.length} calls ${what}`, {
    expected: `every tool call completed or failed when the prompt is answered, ${what}`,
    actual: open.map(({ id, status }) => `${id} is ${status}`).join(", "),
    frames: evidence(stage.link, ...open.flatMap(({ frames }) => frames)),
  });
}

const reported: AgentCase = {
  name: "tools/reported",
  ids: ["DRA-TOOL-01", "DRA-TOOL-05", "DRA-TOOL-06", "DRA-TOOL-08"],
  process: "fresh",
  needs: "model",
  isTraffic: true,
  run: async (check) => {
    const stage = await Stage.open(check);
    await judgeOrdinary(check, stage);
    await judgeFailures(check, stage);
    await judgeAfterReject(check, stage);
    await judgeAfterCancel(check, stage);
  },
};

/** A read, a write and a command: each is a tool call. */
async function judgeOrdinary(check: AgentCheck, stage: Stage): Promise<void> {
  const session = await stage.session({ "known.txt": "known\n" });
  const made = join(session.cwd, "made.txt");
  const all: readonly Act[] = [
    { tool: "read", path: join(session.cwd, "known.txt") },
    { tool: "write", path: made, content: "one line\n" },
    { tool: "shell", command: "echo hello" },
  ];
  for (const act of all) {
    if (!stage.canDo(act)) continue;
    const turn = await stage.turn(session, { acts: [act] });
    const calls = callsOf(stage.link, session.id, turn.n);
    check.judge("DRA-TOOL-01", calls.length > 0, `${act.tool}: ${calls.length} call(s)`, {
      expected: `a tool call for the tool to ${act.tool}`,
      actual: "no tool call",
      frames: evidence(stage.link, turn.n, turn.end),
    });
    if (isAnswered(turn.end)) judgeNoneOpen(check, stage, turn, "after an ordinary turn");
    if (act.tool === "write" && (await exists(made))) await judgeDiff(check, stage, turn, made);
  }
}

/** TOOL-08: the diff shows what is then in the file. */
async function judgeDiff(
  check: AgentCheck,
  stage: Stage,
  turn: StageTurn,
  path: string,
): Promise<void> {
  const calls = callsOf(stage.link, turn.session.id, turn.n);
  // A permission request may be the only place with the diff.
  const asked = stage.requests("session/request_permission", turn.n).flatMap(({ params }) => {
    const call = params["toolCall"];
    return isContentHolder(call) ? call.content : [];
  });
  const diffs = [...calls.flatMap(({ content }) => content), ...asked].filter(
    ({ type }) => type === "diff",
  );
  const wanted = await readFile(path, "utf8");
  const isRight = diffs.some((diff) => stringField(diff, "newText") === wanted);
  check.judge("DRA-TOOL-08", isRight, "the diff shows the new text", {
    expected: `a diff whose newText is the text in the file, ${JSON.stringify(wanted)}`,
    actual:
      diffs.length === 0
        ? "no diff"
        : `newText ${JSON.stringify(diffs.map((diff) => diff["newText"]))}`,
    frames: evidence(stage.link, ...calls.flatMap(({ frames }) => frames)),
  });
}

function isContentHolder(value: unknown): value is { readonly content: readonly JsonObject[] } {
  return (
    typeof value === "object" &&
    value !== null &&
    "content" in value &&
    Array.isArray(value.content)
  );
}

/** TOOL-06: a missing file and a command that fails are failed calls. */
async function judgeFailures(check: AgentCheck, stage: Stage): Promise<void> {
  const session = await stage.session();
  const failing: readonly Act[] = [
    { tool: "shell", command: "exit 3" },
    { tool: "read", path: join(session.cwd, "missing.txt") },
  ];
  const isLenient = stage.check.run.subject.recipe?.missingFile === "empty";
  for (const act of failing) {
    if (!stage.canDo(act) || (act.tool === "read" && isLenient)) continue;
    const turn = await stage.turn(session, { acts: [act] });
    const calls = callsOf(stage.link, session.id, turn.n);
    if (calls.length === 0 || !isAnswered(turn.end)) continue;
    const what = act.tool === "shell" ? "a command that exits with 3" : "a missing file";
    check.judge(
      "DRA-TOOL-06",
      calls.some(({ status }) => status === "failed"),
      what,
      {
        expected: `the status failed for ${what}`,
        actual: calls.map(({ status }) => status).join(", "),
        frames: evidence(stage.link, ...calls.flatMap(({ frames }) => frames)),
      },
    );
    judgeNoneOpen(check, stage, turn, `after ${what}`);
  }
}

async function judgeAfterReject(check: AgentCheck, stage: Stage): Promise<void> {
  const session = await stage.session();
  const held = await askingTurn(stage, session).catch(ifUnmet);
  if (!held) return;
  stage.permission = reject;
  const answer = await reject(held.request);
  if (answer !== "hold") await held.request.answer(answer);
  const end = await stage.endOf(held);
  if (isAnswered(end)) judgeNoneOpen(check, stage, held, "after a rejection");
}

async function judgeAfterCancel(check: AgentCheck, stage: Stage): Promise<void> {
  const session = await stage.session();
  const held = await askingTurn(stage, session).catch(ifUnmet);
  if (!held) return;
  stage.permission = () => CANCELLED;
  stage.cancel(session);
  await held.request.answer(CANCELLED);
  const end = await stage.endOf(held);
  if (isAnswered(end)) judgeNoneOpen(check, stage, held, "after a cancel");
}

const MANY_BYTES = 5_000_000;

const odd = modelCase({
  name: "tools/odd",
  ids: ["DRA-TOOL-10"],
  process: "fresh",
  run: async (check) => {
    const stage = await Stage.open(check);
    stage.needModel();
    const session = await stage.session({ "one.txt": "word one\n", "two.txt": "word two\n" });
    const both = ["one.txt", "two.txt"].map((name): Act => ({
      tool: "read",
      path: join(session.cwd, name),
    }));
    await judgeTurn(check, stage, "two calls in one step", [together(stage, both)], 2);
    await judgeTurn(check, stage, "arguments that are not JSON", [broken(stage, both)], 0);
    const command = `head -c ${MANY_BYTES} /dev/zero | tr '\\0' x`;
    const flood = stepsFor({ tool: "shell", command }, recipeTools(stage), () => {});
    await judgeTurn(check, stage, "5 MB of output", flood, 0);
  },
});

function recipeTools(stage: Stage): Parameters<typeof stepsFor>[1] {
  return stage.check.run.subject.recipe?.tools;
}

/** One step of the model with the calls of several acts. */
function together(stage: Stage, acts: readonly Act[]): ScriptEntry {
  return async (call) => {
    const steps: Part[] = [];
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

function partsOf(step: Step): readonly Part[] {
  return "type" in step ? [step] : step;
}

async function judgeTurn(
  check: AgentCheck,
  stage: Stage,
  what: string,
  steps: readonly ScriptEntry[],
  wantedResults: number,
): Promise<void> {
  const model = stage.needModel();
  const session = await stage.session({ "one.txt": "word one\n", "two.txt": "word two\n" });
  const before = model.calls.length;
  const turn = await stage.turn(session, { ending: [...steps, text("All done.")] });
  const results = model.calls
    .slice(before)
    .flatMap(({ messages }) => messages.flatMap(({ toolResults }) => toolResults));
  const known = new Set(results.map(({ id }) => id));
  const isKept = turn.end.kind === "result" && known.size >= wantedResults;
  check.judge("DRA-TOOL-10", isKept, what, {
    expected: `a turn that goes on after ${what}${wantedResults > 0 ? ", with a result for each call" : ""}`,
    actual: `${describeReply(turn.end)}; the model got ${known.size} result(s)`,
    frames: evidence(stage.link, turn.n, turn.end),
  });
  if (!isAnswered(turn.end)) await stopTurn(stage, turn);
}

async function stopTurn(stage: Stage, turn: StageTurn): Promise<void> {
  stage.cancel(turn.session);
  await stage.endOf(turn);
}

export const toolCases: readonly AgentCase[] = [reported, odd];
