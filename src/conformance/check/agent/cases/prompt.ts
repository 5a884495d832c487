import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { isStopReason } from "../../../../protocol/acp/index.ts";
import { paramsFaults } from "../../../index.ts";
import {
  brokenStream,
  finish,
  httpError,
  text,
  thinking,
  type FinishReason,
  type ModelRequest,
  type ScriptEntry,
} from "../../../scripted-model/index.ts";
import { asObject, type JsonObject, objectsField, stringField } from "../../../../base/index.ts";
import { Unmet } from "../../harness/errors.ts";
import { type CallReply, describeReply, isAnswered, shown } from "../../harness/reply.ts";
import type { AgentCheck } from "../agent-check.ts";
import { type AgentCase, stageCase, bareStageCase, traffic } from "../case.ts";
import { turnUpdatesAfter, stopReasonOf } from "../stage/turn-facts.ts";
import { imagesIn, isRealImage, PIXEL, TONE } from "../stage/images.ts";
import { streamingTurn } from "../stage/moments.ts";
import type { EndedTurn, Stage, StageSession } from "../stage/stage.ts";

const plain = bareStageCase("prompt/plain", async (check, stage) => {
  const session = await stage.session({ "README.md": "# A small project\n" });
  const { end, n } = await stage.turn(session);
  stage.needPrompts(end);
  check.judge("ACP-PROMPT-001", isStopReason(stopReasonOf(end)), end);
  await stage.link.barrier();
  judgeUpdates(check, "ACP-PROMPT-002", stage.link, session.id, n);
});

/** Judges that every update after a position is valid and belongs to the session. */
export function judgeUpdates(
  check: AgentCheck,
  id: string,
  link: Stage["link"],
  sessionId: string,
  after: number,
): void {
  const { protocol } = check.run;
  const context = { from: "agent", isRequest: false, protocol, isUnstable: true } as const;
  let judged = 0;
  for (const frame of link.received(after)) {
    const { message } = frame;
    if (message.kind !== "notification" || message.method !== "session/update") continue;
    judged++;
    const { params } = message;
    const [fault] = paramsFaults("session/update", params, context);
    const owner = asObject(params)["sessionId"];
    // In v2, another requirement covers undeclared fields.
    if (fault && (protocol === 1 || fault.kind === "invalid"))
      check.fail(id, `${fault.path} ${fault.message}`, frame);
    if (owner !== sessionId) check.fail(id, `an update with the session id ${shown(owner)}`, frame);
  }
  if (judged === 0) check.untested(id, "the turn had no updates");
  else check.pass(id, `${judged} updates`);
}

/** Block types and empty prompts that an agent need not understand, but has to answer. */
const ODD_PROMPTS: readonly {
  readonly what: string;
  readonly prompt: readonly object[];
  readonly isInvalid: boolean;
}[] = [
  { what: "an empty prompt", prompt: [], isInvalid: false },
  { what: "an empty text", prompt: [{ type: "text", text: "" }], isInvalid: false },
  { what: "an unknown block type", prompt: [{ type: "hologram", data: "x" }], isInvalid: true },
  {
    what: "an image with an unknown media type",
    prompt: [{ type: "image", data: "AAAA", mimeType: "image/x-unknown" }],
    isInvalid: false,
  },
];

/** Sends an odd prompt in a new session. */
async function sendOdd(
  stage: Stage,
  { prompt, isInvalid }: (typeof ODD_PROMPTS)[number],
): Promise<{ readonly session: StageSession; readonly reply: CallReply }> {
  const session = await stage.session();
  stage.model?.skip();
  const params = { sessionId: session.id, prompt };
  const options = { limitMs: stage.check.pace.turnMs, isInvalid };
  return { session, reply: await stage.link.request("session/prompt", params, options) };
}

const odd = bareStageCase("prompt/odd", async (check, stage) => {
  for (const one of ODD_PROMPTS) {
    const { reply } = await sendOdd(stage, one);
    check.judge("DRA-PROMPT-07", isAnswered(reply), one.what, reply);
  }
});

/** Commands that show something and change nothing, by the names that agents use for them. */
const HARMLESS = ["help", "status", "context", "usage", "cost", "about", "version", "stats", "mcp"];

const slash = bareStageCase("prompt/slash-command", async (check, stage) => {
  const session = await stage.session();
  const commands = (): readonly (string | undefined)[] =>
    stage.link
      .updates(session.id)
      .flatMap(({ update }) => objectsField(update, "availableCommands"))
      .map((command) => stringField(command, "name"));
  // They may come some time after the session is open.
  await stage.link.until(() => commands().length > 0, { limitMs: check.pace.exitMs });
  const listed = commands();
  const name = HARMLESS.find((one) => listed.includes(one));
  if (name === undefined)
    throw new Unmet("the agent lists no command that is known to change nothing");
  const { end } = await stage.turn(session, { blocks: [{ type: "text", text: `/${name}` }] });
  check.judge("DRA-PROMPT-08", isAnswered(end), `/${name}`, end);
});

const FAILURES: readonly { readonly what: string; readonly step: ScriptEntry }[] = [
  ...[400, 401, 429, 500].map((status) => ({ what: `status ${status}`, step: httpError(status) })),
  { what: "a broken stream", step: [text("I was about to "), brokenStream()] },
];

/** Agents call the model again after some seconds. */
const RETRY_MS = 45_000;
/** More failures than an agent has patience for. */
const MANY_FAILURES = 100;

/** Turn ends that are not model failures. */
const ENDINGS: readonly { readonly what: string; readonly step: ScriptEntry }[] = [
  { what: "a refusal", step: [text("This is not "), finish("filtered")] },
  { what: "an answer that was cut", step: [text("It was a dark and "), finish("length")] },
];
/** Some agents ask the model again after such an end. */
const ENDS = 3;

const serviceFails = bareStageCase("prompt/model-service-fails", async (check, stage) => {
  stage.needModel();
  for (const { what, step } of FAILURES) {
    const turn = await failingTurn(stage, [step]);
    await stage.link.barrier();
    judgeVisible(stage, turn, what);
    await judgeNextPrompt(stage, turn.session, what);
  }
  await judgeLasting(stage);
  for (const { what, step } of ENDINGS) {
    const session = await stage.session();
    const { end } = await stage.turn(session, { ending: repeated(step, ENDS) });
    if (isAnswered(end)) await judgeNextPrompt(stage, session, what);
  }
  for (const one of ODD_PROMPTS) {
    const { session, reply } = await sendOdd(stage, one);
    if (isAnswered(reply)) await judgeNextPrompt(stage, session, one.what);
  }
});

function repeated<T>(step: T, times: number): readonly T[] {
  return Array.from({ length: times }, () => step);
}

async function failingTurn(stage: Stage, ending: readonly ScriptEntry[]): Promise<EndedTurn> {
  const limitMs = Math.max(RETRY_MS, stage.check.pace.turnMs);
  return stage.turn(await stage.session(), { ending, limitMs });
}

/** DRA-PROMPT-05: the user sees that the model service failed, by an error or a message. */
function judgeVisible(stage: Stage, turn: EndedTurn, what: string): void {
  const said = stage.said(turn).trim();
  const isVisible = turn.end.kind === "error" || (turn.end.kind === "result" && said !== "");
  stage.check.judge("DRA-PROMPT-05", isVisible, what, turn.end, `text ${shown(said)}`);
}

/** DRA-PROMPT-05: the model service fails every time. */
async function judgeLasting(stage: Stage): Promise<void> {
  const turn = await failingTurn(stage, repeated(httpError(500), MANY_FAILURES));
  const what = `status 500 for good, ${turn.calls.length} calls`;
  const said = stage.said(turn).trim();
  const isVisible = turn.end.kind === "error" || said !== "";
  // An agent that waits longer between its calls still tries; a verdict would take minutes.
  if (isVisible || turn.end.kind !== "silent")
    stage.check.judge("DRA-PROMPT-05", isVisible, what, turn.end, `text ${shown(said)}`);
  if (!isAnswered(turn.end)) {
    stage.cancel(turn.session);
    if (!isAnswered(await stage.endOf(turn))) return;
  }
  await judgeNextPrompt(stage, turn.session, "status 500 for good");
}

const STILL_HERE = "Still here.";

/** DRA-PROMPT-09: the next prompt works. */
async function judgeNextPrompt(stage: Stage, session: StageSession, what: string): Promise<void> {
  const next = await stage.turn(session, { ending: [text(STILL_HERE)] });
  const said = stage.said(next);
  const isKept = stopReasonOf(next.end) === "end_turn" && said.includes(STILL_HERE);
  stage.check.judge("DRA-PROMPT-09", isKept, `after ${what}`, next.end, `text ${shown(said)}`);
}

const second = stageCase("prompt/second-while-one-runs", async (check, stage) => {
  const session = await stage.session();
  const first = await streamingTurn(stage, session);
  const other = stage.begin(session, { isAlongside: true });
  await stage.link.barrier();
  const replies = [await stage.finish(first), await stage.endOf(other)];
  check.judge("DRA-PROMPT-06", replies.every(isAnswered), "the first, then the second", replies);
});

const LINKED = "plover.md";
/** The files of the sessions: some agents read a linked file, and leave out one that they cannot read. */
const FILES = { [LINKED]: "The word is plugh.\n" };

const RESOURCE = {
  type: "resource",
  resource: {
    uri: "file:///notes/xyzzy.md",
    mimeType: "text/markdown",
    text: "The word is xyzzy.",
  },
};

interface Block {
  /** The requirement that such a block is accepted; undefined for one that has none. */
  readonly id?: string;
  readonly what: string;
  /** Undefined for content that every agent takes. */
  readonly capability?: string;
  readonly block: (session: StageSession) => JsonObject;
  /** Texts of which one is in a request to the model that has the block; none if it need not get there. */
  readonly traces: readonly string[];
}

const WORD = "frobozz";

const BLOCKS: readonly Block[] = [
  { what: "text", block: () => ({ type: "text", text: WORD }), traces: [WORD] },
  {
    id: "ACP-PROMPT-003",
    what: "a link",
    block: ({ cwd }) => {
      const uri = pathToFileURL(join(cwd, LINKED)).href;
      return { type: "resource_link", uri, name: LINKED, mimeType: "text/markdown" };
    },
    traces: [LINKED, "plugh"],
  },
  {
    id: "ACP-PROMPTCAP-001",
    what: "an image",
    capability: "promptCapabilities.image",
    block: () => ({ type: "image", mimeType: "image/png", data: PIXEL }),
    traces: [PIXEL],
  },
  {
    id: "ACP-PROMPTCAP-002",
    what: "a sound",
    capability: "promptCapabilities.audio",
    block: () => ({ type: "audio", mimeType: "audio/wav", data: TONE }),
    traces: [],
  },
  {
    id: "ACP-PROMPTCAP-003",
    what: "an embedded resource",
    capability: "promptCapabilities.embeddedContext",
    block: () => RESOURCE,
    traces: ["xyzzy"],
  },
];

function takes(check: AgentCheck, { capability }: Block): boolean {
  return capability === undefined || check.advertises(capability);
}

const accepted = bareStageCase("prompt/content-accepted", async (check, stage) => {
  const { end: usual } = await stage.turn(await stage.session());
  stage.needPrompts(usual);
  for (const one of BLOCKS) {
    const { id, what, block } = one;
    if (id === undefined) continue;
    if (!takes(check, one)) {
      check.skip(id, `the agent does not advertise ${one.capability}`);
      continue;
    }
    const session = await stage.session(FILES);
    const blocks = [{ type: "text", text: "Look at this:" }, block(session)];
    const { end } = await stage.turn(session, { blocks });
    check.judge(id, end.kind === "result", `a prompt with ${what}`, end);
  }
});

/** Whether a block is found in the requests to the model; an agent may encode an image anew. */
function isFound({ traces, what }: Block, calls: readonly ModelRequest[]): boolean {
  const bodies = calls.map(({ body }) => JSON.stringify(body));
  if (bodies.some((body) => traces.some((trace) => body.includes(trace)))) return true;
  return what === "an image" && calls.some(({ body }) => imagesIn(body).some(isRealImage));
}

const reachesModel = bareStageCase("prompt/content-reaches-the-model", async (check, stage) => {
  stage.needModel();
  const sent = BLOCKS.filter((one) => one.traces.length > 0 && takes(check, one));
  const session = await stage.session(FILES);
  const blocks = sent.map(({ block }) => block(session));
  const { end, calls } = await stage.turn(session, { blocks });
  if (calls.length === 0)
    throw new Unmet(`the agent did not call the model: ${describeReply(end)}`);
  const lost = sent.filter((part) => !isFound(part, calls)).map(({ what }) => what);
  const words =
    lost.length > 0
      ? `the request to the model lacks ${lost.join(", ")}`
      : sent.map(({ what }) => what).join(", ");
  check.judge("DRA-PROMPT-01", lost.length === 0, words, end.frames);
});

/** Emoji of several code points, which lie across the deltas of the model. */
const ANSWER = "Grüße 👩‍🚀🚀 an alle: 日本語, \u{1F468}\u200D\u{1F469}\u200D\u{1F467}, ende.";
const THOUGHT = "Hmm, lemme ponder.";

const exactText = stageCase("prompt/text", async (check, stage) => {
  stage.needModel();
  const session = await stage.session();
  const step = [thinking(THOUGHT, { chunks: 3 }), text(ANSWER, { chunks: ANSWER.length })];
  const turn = await stage.turn(session, { ending: [step] });
  await stage.link.barrier();
  const { end, n } = turn;
  const said = stage.said(turn);
  const thought = stage.link.textOf(session.id, "agent_thought_chunk", n);
  const words = `messages ${shown(said)}, thoughts ${shown(thought)}`;
  check.judge("DRA-PROMPT-02", said.includes(ANSWER), words, end.frames);
  const isMixed = said.includes(THOUGHT) || thought.includes(ANSWER);
  if (thought === "" && !isMixed) check.untested("DRA-UPD-03", "the agent shows no thoughts");
  else check.judge("DRA-UPD-03", !isMixed, words, end.frames);
  if (end.kind !== "result") return;
  const late = turnUpdatesAfter(stage.link, session.id, end.n);
  const count = `${late.length} updates after the response`;
  check.judge("DRA-PROMPT-03", late.length === 0, count, end.frames, late);
});

const REASONS: readonly { readonly reason: FinishReason; readonly expected: string }[] = [
  { reason: "stop", expected: "end_turn" },
  { reason: "length", expected: "max_tokens" },
  { reason: "filtered", expected: "refusal" },
];

/**
 * How often the model finishes with the same reason. Some agents ask it to continue after `length`, or
 * ask again after `filtered`; the answer after that is an ordinary one, which ends the turn.
 */
const FINISHES = 3;

const finishReasons = bareStageCase("prompt/finish-reasons", async (check, stage) => {
  stage.needModel();
  for (const { reason, expected } of REASONS) {
    const session = await stage.session();
    const step = [text("This is all I can say"), finish(reason)];
    const ending = [...repeated(step, FINISHES), text("At last.")];
    const { end, calls } = await stage.turn(session, { ending });
    // An agent that does not reach the model shows nothing about its reasons.
    if (calls.length === 0) throw new Unmet(`no prompt works: ${describeReply(end)}`);
    // The stop reason follows the last answer.
    const hasGoneOn = calls.length > FINISHES;
    const wanted = hasGoneOn ? "end_turn" : expected;
    const how = hasGoneOn ? `stop, after ${FINISHES} answers with ${reason}` : reason;
    const isKept = stopReasonOf(end) === wanted;
    const words = `${how} gives ${isKept ? "" : "not "}${wanted}`;
    check.judge("DRA-PROMPT-04", isKept, words, end.frames);
  }
});

export const promptCases: readonly AgentCase[] = [plain, odd, slash, serviceFails, second];
export const contentCases: readonly AgentCase[] = [
  accepted,
  reachesModel,
  traffic(exactText),
  finishReasons,
];
