import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { isPermissionOptionKind } from "../../../../protocol/acp/index.ts";
import { paramsFaults } from "../../../index.ts";
import { smallestOf, type ScriptEntry, text, toolCall } from "../../../scripted-model/index.ts";
import { asObject, type JsonObject, stringField } from "../../../../base/index.ts";
import { NotApplicable, Unmet, ifUnmet } from "../../harness/errors.ts";
import {
  allow,
  CANCELLED,
  type ClientAnswer,
  permissionOption,
  permissionOptionsIn,
  PERMISSION,
  reject,
  select,
  type SubjectRequest,
} from "../../harness/client-answers.ts";
import { describeReply, isAnswered, shown } from "../../harness/reply.ts";
import type { AgentCheck } from "../agent-check.ts";
import { type AgentCase, agentCase, stageCase, traffic } from "../case.ts";
import type { Act } from "../stage/act.ts";
import { MISSING } from "../stage/client.ts";
import { callsOf, exists, untilTrue } from "../stage/turn-facts.ts";
import { askingTurn, type AskingTurn, requestingTurn, runningTurn } from "../stage/moments.ts";
import { Stage, type StageSession, type StageTurn, toolResultsIn } from "../stage/stage.ts";

interface Asking extends AskingTurn {
  readonly path: string;
}

/** A turn that waits for permission to write a new file in a new session. */
async function asking(stage: Stage): Promise<Asking> {
  const session = await stage.session();
  const path = join(session.cwd, "made.txt");
  return { ...(await askingTurn(stage, session, path)), path };
}

const options = stageCase("permission/options", async (check, stage) => {
  const first = await asking(stage);
  judgeRequest(check, first.request);
  await stage.link.barrier();
  const isEarly = await exists(first.path);
  const words = `${isEarly ? "a" : "no"} file before the answer`;
  check.judge("DRA-PERM-04", !isEarly, words, first.frame, first.request.frame);
  const offered = onceFirst(permissionOptionsIn(first.request));
  let turn: Asking = first;
  for (const [at, option] of offered.entries()) {
    await judgeOption(stage, turn, option);
    if (at === offered.length - 1) break;
    // An option such as "always" may hold for every later session, and then the agent asks no more.
    const next = await asking(stage).catch(ifUnmet);
    if (!next) break;
    turn = next;
  }
});

/** Options that hold for longer come last, because the agent may not ask again after them. */
function onceFirst(offered: readonly JsonObject[]): readonly JsonObject[] {
  const isOnce = ({ kind }: JsonObject): boolean => kind === "allow_once" || kind === "reject_once";
  return [...offered.filter(isOnce), ...offered.filter((option) => !isOnce(option))];
}

function judgeRequest(check: AgentCheck, request: SubjectRequest): void {
  const rules = { from: "agent", isRequest: true, protocol: 1, isUnstable: true } as const;
  const [fault] = paramsFaults(request.method, request.params, rules);
  const offered = permissionOptionsIn(request);
  const ids = offered.map((option) => stringField(option, "optionId"));
  const isKept =
    !fault &&
    offered.length > 0 &&
    new Set(ids).size === ids.length &&
    offered.every(({ kind }) => isPermissionOptionKind(kind));
  const words = fault ? `${fault.path} ${fault.message}` : `the options ${shown(offered)}`;
  check.judge("DRA-PERM-01", isKept, words, request.frame);
}

async function judgeOption(stage: Stage, turn: Asking, option: JsonObject): Promise<void> {
  // Further questions of the same turn get the same kind of answer.
  stage.permission = (request) => select(permissionOption(request, [String(option["kind"])]));
  await turn.request.answer(select(option));
  const end = await stage.endOf(turn);
  const isAllowed = String(option["kind"]).startsWith("allow");
  const hasRun = await exists(turn.path);
  const name = `after ${shown(option["optionId"])} (${String(option["kind"])})`;
  const words = `the tool ${hasRun ? "ran" : "did not run"}`;
  stage.check.judge("DRA-PERM-02", hasRun === isAllowed, name, words, turn.request.frame, end);
}

/** Answers that are not an approval. */
const DENIALS: readonly {
  readonly id: string;
  readonly what: string;
  readonly answer: (stage: Stage, request: SubjectRequest) => Promise<void>;
}[] = [
  {
    id: "DRA-PERM-03",
    what: "a rejection",
    answer: (_, request) => request.answer(reject(request)),
  },
  {
    id: "DRA-PERM-03",
    what: "the outcome cancelled",
    answer: (_, request) => request.answer(CANCELLED),
  },
  {
    id: "DRA-PERM-05",
    what: "an error",
    answer: (_, request) => request.answer({ error: { code: -32603, message: "no answer" } }),
  },
  {
    id: "DRA-PERM-05",
    what: "an unknown option id",
    answer: (_, request) =>
      request.answer({ result: { outcome: { outcome: "selected", optionId: "no-such-option" } } }),
  },
  {
    id: "DRA-PERM-05",
    what: "an unknown outcome",
    // Not valid, on purpose.
    answer: ({ link }, { id }) => link.answerRaw({ id, result: { outcome: { outcome: "maybe" } } }),
  },
];

const denied = stageCase("permission/denied", async (check, stage) => {
  for (const { id, what, answer } of DENIALS) {
    const turn = await asking(stage);
    stage.reset();
    await answer(stage, turn.request);
    const end = await stage.endOf(turn);
    const hasRun = await exists(turn.path);
    const words = `the tool ${hasRun ? "ran" : "did not run"}`;
    check.judge(id, !hasRun && isAnswered(end), what, words, turn.request.frame, end);
    if (!isAnswered(end)) return;
  }
});

const once = stageCase("permission/once", async (check, stage) => {
  const session = await stage.session();
  const first = await askingTurn(stage, session, join(session.cwd, "first.txt"));
  const option = permissionOption(first.request, ["allow_once"]);
  if (!option) throw new Unmet("the agent offers no option of the kind allow_once");
  await first.request.answer(select(option));
  stage.permission = allow;
  await stage.endOf(first);
  const act = { tool: "write", path: join(session.cwd, "second.txt"), content: "two\n" } as const;
  const second = await stage.turn(session, { acts: [act] });
  const asked = stage.requests(PERMISSION, second.n).length;
  const words = `${asked} permission requests for the second call`;
  check.judge("DRA-PERM-06", asked > 0, words, first.request.frame, second.end.frames);
});

/** The files that a client offers, and the methods that it does not offer. */
const OFFERS: readonly {
  readonly what: string;
  readonly capabilities: JsonObject;
  readonly forbidden: readonly string[];
}[] = [
  { what: "nothing", capabilities: {}, forbidden: ["fs/read_text_file", "fs/write_text_file"] },
  {
    what: "only reading",
    capabilities: { fs: { readTextFile: true, writeTextFile: false } },
    forbidden: ["fs/write_text_file"],
  },
  {
    what: "only writing",
    capabilities: { fs: { readTextFile: false, writeTextFile: true } },
    forbidden: ["fs/read_text_file"],
  },
];

/** A turn each that uses what a client may offer. */
function busyActs({ cwd }: StageSession): readonly Act[] {
  return [
    { tool: "read", path: join(cwd, "known.txt") },
    { tool: "write", path: join(cwd, "made.txt"), content: "made\n" },
    { tool: "shell", command: "echo hello" },
  ];
}

const filesNotOffered = agentCase("files/not-offered", async (check) => {
  for (const { what, capabilities, forbidden } of OFFERS) {
    const stage = await Stage.open(check, { capabilities });
    const session = await stage.session({ "known.txt": "known\n" });
    let used = 0;
    for (const act of busyActs(session).slice(0, 2)) {
      const turn = await stage.act(session, act);
      used += turn ? callsOf(stage.link, session.id, turn.n).length : 0;
    }
    const wrong = stage.link.requests.find(({ method }) => forbidden.includes(method));
    const words = `${used} tool calls, ${wrong?.method ?? "nothing"} was called`;
    if (wrong || used > 0)
      check.judge("ACP-CLIENTCAP-001", !wrong, `offered ${what}`, words, wrong?.frame);
    await stage.link.transport.end();
  }
});

const ON_DISK = "the text on the disk\n";
const UNSAVED = "the unsaved text of the editor\n";
/** Line ends of both kinds, no newline at the end, and characters of four bytes. */
const EXACT = "first line\r\nsecond 🚀 line\nlast without newline";

const exact = stageCase("files/contents", async (check, stage) => {
  stage.needModel();
  const session = await stage.session({ "open.txt": ON_DISK });
  const path = join(session.cwd, "open.txt");
  stage.files.unsaved.set(path, UNSAVED);
  const read = await stage.turn(session, { acts: [{ tool: "read", path }] });
  const seen = JSON.stringify(read.calls.map(({ body }) => body));
  if (stage.files.reads.includes(path)) {
    const texts = [UNSAVED, ON_DISK].filter((one) => seen.includes(one.trim()));
    const words = `the model got ${shown(texts)}`;
    check.judge("DRA-FS-02", texts.includes(UNSAVED), words, read.end.frames);
  }
  const made = join(session.cwd, "exact.txt");
  const act = { tool: "write", path: made, content: EXACT } as const;
  const write = await stage.turn(session, { acts: [act] });
  const written = stage.files.writes.find((one) => one.path === made);
  if (written) {
    const words = `wrote ${JSON.stringify(written.content)}`;
    check.judge("DRA-FS-02", written.content === EXACT, words, write.end.frames);
  } else if (stage.files.reads.length === 0)
    check.untested("DRA-FS-02", "the agent does not use the client's files");
});

const fileErrors = stageCase("files/errors", async (check, stage) => {
  stage.files.missing = MISSING;
  await judgeCreate(stage);
  await judgeFileError(stage, "fs/read_text_file");
  await judgeFileError(stage, "fs/write_text_file");
  if (!stage.link.requests.some(({ method }) => method.startsWith("fs/")))
    check.untested("DRA-FS-03", "the agent does not use the client's files");
});

/** A file that does not exist can be created, although the client answers -32002 when it is read. */
async function judgeCreate(stage: Stage): Promise<void> {
  const session = await stage.session();
  const path = join(session.cwd, "new.txt");
  const turn = await stage.act(session, { tool: "write", path, content: "new\n" });
  if (!turn) throw new NotApplicable('needs the prompt "write"');
  const asked = stage.link.requests.filter((one) => one.n > turn.n && one.method.startsWith("fs/"));
  if (asked.length === 0) return;
  const made = await readFile(path, "utf8").catch(() => undefined);
  const words = made === undefined ? "there is no file" : `the file has ${shown(made)}`;
  const frames = asked.map(({ frame }) => frame);
  const isMade = made?.includes("new") === true;
  stage.check.judge(
    "DRA-FS-03",
    isMade,
    "created a file that was missing",
    words,
    frames,
    turn.end.frames,
  );
}

/** An error of the client fails the tool, not the turn. */
async function judgeFileError(stage: Stage, method: string): Promise<void> {
  const session = await stage.session({ "known.txt": "known\n" });
  const [read, write] = busyActs(session);
  const act = method === "fs/read_text_file" ? read : write;
  if (!act) return;
  stage.answer(method, { error: { code: -32603, message: "the disk is broken" } });
  const turn = await stage.act(session, act);
  stage.intercept = undefined;
  const asked = turn ? stage.requests(method, turn.n) : [];
  if (!turn || asked.length === 0) return;
  const frames = asked.map(({ frame }) => frame);
  const isKept = turn.end.kind === "result";
  stage.check.judge("DRA-FS-03", isKept, `after an error of ${method}`, turn.end, frames);
  if (!isAnswered(turn.end)) stage.cancel(session);
}

const terminalsNotOffered = agentCase("terminals/not-offered", async (check) => {
  const capabilities = { fs: { readTextFile: true, writeTextFile: true } };
  const stage = await Stage.open(check, { capabilities });
  const session = await stage.session();
  const turn = await stage.turn(session, { acts: [{ tool: "shell", command: "echo hello" }] });
  const wrong = stage.link.requests.find(({ method }) => method.startsWith("terminal/"));
  const hasActed = callsOf(stage.link, session.id, turn.n).length > 0 || turn.end.kind === "result";
  if (!hasActed && !wrong) return;
  const words = `${wrong?.method ?? "nothing"} was called`;
  check.judge("ACP-CLIENTCAP-002", !wrong, words, wrong?.frame, turn.end.frames);
});

const terminals = stageCase("terminals/used", async (check, stage) => {
  const session = await stage.session();
  const failing = { tool: "shell", command: "echo hello; exit 3" } as const;
  const turn = await stage.turn(session, { acts: [failing] });
  const [terminal] = stage.terminals.all;
  if (!terminal) throw new Unmet("the agent does not use the client's terminals");
  // The command is a program, not a line for a shell.
  const { command, args, frame } = terminal;
  const isLine = args.length === 0 && /[\s|&;<>$`]/.test(command);
  check.judge("DRA-TERM-03", !isLine, shown({ command, args }), frame);
  await judgeReleased(stage, "after a command that failed");
  const results = toolResultsIn(turn.calls);
  if (results.length > 0) {
    const isKnown = results.some((result) => /\b3\b/.test(result.text));
    const words = `the result with the exit code 3 is ${shown(results.at(-1)?.text)}`;
    check.judge("DRA-TERM-04", isKnown, words, turn.frame);
  }
  if (stage.model) await judgeEndings(stage);
  await judgeRefused(stage);
  const other = await stage.session();
  const running = await runningTurn(stage, other, join(other.cwd, "pid.txt"));
  stage.cancel(other);
  await stage.endOf(running);
  await judgeReleased(stage, "after a cancel");
});

/** TERM-01: every terminal is released once, and not used afterwards. */
async function judgeReleased(stage: Stage, what: string): Promise<void> {
  const { check } = stage;
  const { terminals: used, link } = stage;
  await untilTrue(() => used.all.every(({ released }) => released > 0), check.pace.answerMs);
  await link.barrier();
  const wrong = used.all.find(
    ({ released, usedAfterRelease }) => released !== 1 || usedAfterRelease.length > 0,
  );
  const words = wrong
    ? `released ${wrong.released} times; used afterwards: ${wrong.usedAfterRelease.join(", ") || "never"}`
    : "released once";
  check.judge("DRA-TERM-01", !wrong, what, words, wrong?.frame);
}

interface CommandEnd {
  readonly exit: { readonly exitCode: number | null; readonly signal: string | null };
  readonly truncated: boolean;
}

const ORDINARY: CommandEnd = { exit: { exitCode: 0, signal: null }, truncated: false };
/** Ends of a command that the model must be able to tell from an ordinary one with the same output. */
const ENDINGS: readonly (readonly [what: string, end: CommandEnd])[] = [
  ["the signal", { exit: { exitCode: null, signal: "SIGTERM" }, truncated: false }],
  ["the truncation", { ...ORDINARY, truncated: true }],
];

/** TERM-04: the signal and the truncation change the result for the model. */
async function judgeEndings(stage: Stage): Promise<void> {
  const plain = await resultOf(stage, ORDINARY);
  for (const [what, end] of ENDINGS) {
    const { result, turn } = await resultOf(stage, end);
    if (plain.result === undefined || result === undefined) continue;
    const words = `${shown(result)}, and ${shown(plain.result)} without it`;
    stage.check.judge(
      "DRA-TERM-04",
      result !== plain.result,
      `a result with ${what}`,
      words,
      turn.frame,
    );
  }
}

/** The result that the model gets for a command whose end the client reports like this. */
async function resultOf(
  stage: Stage,
  { exit, truncated }: CommandEnd,
): Promise<{ readonly result: string | undefined; readonly turn: StageTurn }> {
  const session = await stage.session();
  stage.intercept = ({ method }) => {
    if (method === "terminal/wait_for_exit") return { result: exit };
    if (method !== "terminal/output") return undefined;
    return { result: { output: "hello\n", truncated, exitStatus: exit } };
  };
  const turn = await stage.turn(session, { acts: [{ tool: "shell", command: "echo hello" }] });
  stage.intercept = undefined;
  const last = turn.end.kind === "result" ? toolResultsIn(turn.calls).at(-1) : undefined;
  return { result: last?.text, turn };
}

/** TERM-04: a refused terminal fails the tool, not the turn. */
async function judgeRefused(stage: Stage): Promise<void> {
  const session = await stage.session();
  stage.answer("terminal/create", { error: { code: -32603, message: "no terminal is left" } });
  const turn = await stage.turn(session, { acts: [{ tool: "shell", command: "echo hello" }] });
  stage.intercept = undefined;
  if (stage.requests("terminal/create", turn.n).length === 0) return;
  const statuses = callsOf(stage.link, session.id, turn.n).map(({ status }) => status);
  const isFailed = statuses.length === 0 || statuses.includes("failed");
  const isKept = turn.end.kind === "result" && isFailed;
  stage.check.judge("DRA-TERM-04", isKept, "a refused terminal", turn.end, statuses);
  if (!isAnswered(turn.end)) stage.cancel(session);
}

const ELICITATION = "elicitation/create";
const FORM: JsonObject = { elicitation: { form: {} } };

/** A step that calls the agent's tool for questions to the user, if it has one. */
const askStep: ScriptEntry = ({ tools }) => {
  const tool = tools.find(({ name }) => /ask|question|elicit/i.test(name));
  if (!tool) return text("There is no tool for questions.");
  return toolCall(tool.name, asObject(smallestOf(asObject(tool.schema))));
};

async function beginQuestion(stage: Stage): Promise<StageTurn> {
  const session = await stage.session();
  if (!stage.model) return stage.beginPrompt(session, "ask");
  const known = stage.check.run.subject.recipe?.tools.ask?.();
  return stage.begin(session, { ending: [known ?? askStep, text("Thank you.")] });
}

const questionsNotOffered = agentCase("elicitation/not-offered", async (check) => {
  const id = "ACP-CLIENTCAP-003";
  let turns = 0;
  for (const elicitation of [undefined, {}, { url: {} }]) {
    const capabilities = elicitation ? { elicitation } : {};
    const stage = await Stage.open(check, { capabilities });
    const end = await stage.endOf(await beginQuestion(stage));
    const wrong = stage
      .requests(ELICITATION)
      .find(({ params }) => !elicitation?.url || params["mode"] !== "url");
    if (wrong) {
      const words = `a question of the mode ${String(wrong.params["mode"])}`;
      check.fail(id, `offered ${shown(capabilities)}`, words, wrong.frame);
      return;
    }
    if (isAnswered(end)) turns++;
    await stage.link.transport.end();
  }
  // A pass means something only if the agent asks when it may.
  const stage = await Stage.open(check, { capabilities: FORM });
  await stage.endOf(await beginQuestion(stage));
  if (stage.requests(ELICITATION).length === 0)
    check.untested(id, "the agent asks no questions, even if it may");
  else check.pass(id, `${turns} turns without a question that is not offered`);
});

const ANSWERS: readonly { readonly what: string; readonly answer: ClientAnswer }[] = [
  { what: "decline", answer: { result: { action: "decline" } } },
  { what: "cancel", answer: { result: { action: "cancel" } } },
  { what: "an error", answer: { error: { code: -32602, message: "not supported" } } },
];

const answers = agentCase("elicitation/answers", async (check) => {
  const stage = await Stage.open(check, { capabilities: FORM });
  for (const { what, answer } of ANSWERS) {
    stage.elicitation = () => answer;
    const turn = await beginQuestion(stage);
    const end = await stage.endOf(turn);
    const asked = stage.requests(ELICITATION, turn.n).map(({ frame }) => frame);
    if (asked.length === 0) throw new Unmet("the agent asked no question");
    if (!check.judge("DRA-ELI-02", isAnswered(end), `after ${what}`, asked, end)) return;
  }
});

/** A turn with an open request of the agent, of any kind. */
async function turnWithRequest(stage: Stage): Promise<AskingTurn> {
  const turn = await askingTurn(stage, await stage.session()).catch(ifUnmet);
  if (turn) return turn;
  stage.permission = allow;
  return requestingTurn(stage, await stage.session());
}

const collision = stageCase("requests/same-ids", async (check, stage) => {
  const turn = await turnWithRequest(stage);
  const { id, method, frame } = turn.request;
  if (typeof id !== "string" && typeof id !== "number") throw new Unmet("its request has no id");
  stage.permission = () => CANCELLED;
  const same = await stage.link.request("_dragoman/same_id", {}, { id });
  const refusal = { error: { code: -32603, message: "not now" } };
  await turn.request.answer(method === PERMISSION ? CANCELLED : refusal);
  const end = await stage.endOf(turn);
  const words = `our request: ${describeReply(same)}; the prompt: ${describeReply(end)}`;
  const isKept = isAnswered(same) && isAnswered(end);
  check.judge("DRA-RPC-02", isKept, `both use the id ${id}`, words, frame, same.frames, end.frames);
});

const errors = stageCase("requests/errors", async (check, stage) => {
  const session = await stage.session({ "known.txt": "known\n" });
  for (const act of busyActs(session)) {
    const turn = await stage.act(session, act);
    if (turn && !isAnswered(turn.end)) break;
  }
  judgeCustom(check, stage);
  const methods = new Set(stage.link.requests.map(({ method }) => method));
  if (methods.size === 0) throw new Unmet("the agent makes no requests");
  for (const method of methods) if (!(await judgeError(stage, method))) return;
});

/** EXT-03: the turns went on although the client does not know the custom requests. */
function judgeCustom(check: AgentCheck, { link }: Stage): void {
  const custom = link.requests.filter(({ method }) => method.startsWith("_"));
  if (custom.length === 0) {
    check.untested("DRA-EXT-03", "the agent makes no custom requests");
    return;
  }
  const failed = link.received().filter(({ message }) => message.kind === "error");
  const words = `${custom.length} custom requests were refused, ${failed.length} prompts failed`;
  const frames = custom.slice(0, 2).map(({ frame }) => frame);
  check.judge("DRA-EXT-03", failed.length === 0, words, frames, failed);
}

/** Returns whether the turn ended. */
async function judgeError(stage: Stage, method: string): Promise<boolean> {
  const session = await stage.session({ "known.txt": "known\n" });
  stage.answer(method, { error: { code: -32603, message: "it failed" } });
  let isEnded = true;
  for (const act of busyActs(session)) {
    const turn = isEnded ? await stage.act(session, act) : undefined;
    const asked = turn ? stage.requests(method, turn.n).map(({ frame }) => frame) : [];
    if (!turn || asked.length === 0) continue;
    isEnded = isAnswered(turn.end);
    stage.check.judge("DRA-RPC-06", isEnded, `after an error of ${method}`, asked, turn.end);
  }
  stage.intercept = undefined;
  return isEnded;
}

const unanswered = stageCase("requests/never-answered", async (check, stage) => {
  const turn = await turnWithRequest(stage);
  const cancel = stage.cancel(turn.session);
  const end = await stage.endOf(turn);
  const what = `${turn.request.method} was never answered`;
  check.judge("DRA-ROB-05", isAnswered(end), what, turn.request.frame, cancel, end);
});

export const permissionCases: readonly AgentCase[] = [traffic(options), denied, once];
export const fileCases: readonly AgentCase[] = [filesNotOffered, exact, fileErrors];
export const terminalCases: readonly AgentCase[] = [terminalsNotOffered, terminals];
export const questionCases: readonly AgentCase[] = [questionsNotOffered, answers];
export const requestCases: readonly AgentCase[] = [collision, errors, unanswered];
