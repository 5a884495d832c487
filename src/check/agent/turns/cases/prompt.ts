import { paramsFaults } from "../../../../conformance/index.ts";
import {
  brokenStream,
  finish,
  httpError,
  text,
  type ScriptEntry,
} from "../../../../model/index.ts";
import { asObject, objectsField, stringField } from "../../../../wire/index.ts";
import { describeReply, isAnswered, type CallReply, shown } from "../../../harness/reply.ts";
import { type AgentCheck, evidence } from "../../agent-check.ts";
import type { AgentCase } from "../../case.ts";
import { chunksOf } from "../facts.ts";
import { modelCase } from "../model-case.ts";
import { streamingTurn } from "../moments.ts";
import { Stage, type StageSession, stopReasonOf } from "../stage.ts";

const STOP_REASONS: ReadonlySet<unknown> = new Set([
  "end_turn",
  "max_tokens",
  "max_turn_requests",
  "refusal",
  "cancelled",
]);

const plain: AgentCase = {
  name: "prompt/plain",
  ids: ["ACP-PROMPT-001", "ACP-PROMPT-002"],
  process: "fresh",
  needs: "prompt",
  run: async (check) => {
    const stage = await Stage.open(check, { capabilities: {} });
    const session = await stage.session({ "README.md": "# A small project\n" });
    const { end, n } = await stage.turn(session);
    stage.needPrompts(end);
    const reason = stopReasonOf(end);
    check.judge("ACP-PROMPT-001", STOP_REASONS.has(reason), `stop reason ${shown(reason)}`, {
      expected: "a result with a stop reason of the protocol",
      actual: describeReply(end),
      frames: evidence(stage.link, n, end),
    });
    await stage.link.barrier();
    judgeUpdates(check, stage, session, n);
  },
};

function judgeUpdates(
  check: AgentCheck,
  { link }: Stage,
  session: StageSession,
  after: number,
): void {
  const id = "ACP-PROMPT-002";
  let judged = 0;
  for (const { n, message } of link.received(after)) {
    if (message.kind !== "notification" || message.method !== "session/update") continue;
    judged++;
    const { params } = message;
    const faults = paramsFaults("session/update", params, {
      from: "agent",
      isRequest: false,
      protocol: 1,
      isUnstable: true,
    });
    const [fault] = faults;
    const owner = asObject(params)["sessionId"];
    if (fault)
      check.fail(id, {
        expected: "updates that are valid",
        actual: `${fault.path} ${fault.message}`,
        frames: evidence(link, n),
      });
    if (owner !== session.id)
      check.fail(id, {
        expected: `updates with the session's id ${session.id}`,
        actual: `an update with the session id ${shown(owner)}`,
        frames: evidence(link, n),
      });
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

const odd: AgentCase = {
  name: "prompt/odd",
  ids: ["DRA-PROMPT-07"],
  process: "fresh",
  needs: "prompt",
  run: async (check) => {
    const stage = await Stage.open(check, { capabilities: {} });
    for (const { what, prompt, isInvalid } of ODD_PROMPTS) {
      const session = await stage.session();
      const params = { sessionId: session.id, prompt };
      const options = { limitMs: check.pace.turnMs, isInvalid };
      const reply = await stage.link.request("session/prompt", params, options);
      check.judge("DRA-PROMPT-07", isAnswered(reply), what, {
        expected: `an answer to ${what}`,
        actual: describeReply(reply),
        frames: evidence(stage.link, reply),
      });
    }
  },
};

/** Commands that show something and change nothing, by the names that agents use for them. */
const HARMLESS = ["help", "status", "context", "usage", "cost", "about", "version", "stats", "mcp"];

const slash: AgentCase = {
  name: "prompt/slash-command",
  ids: ["DRA-PROMPT-08"],
  process: "fresh",
  needs: "prompt",
  run: async (check) => {
    const stage = await Stage.open(check, { capabilities: {} });
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
    if (name === undefined) {
      check.untested("DRA-PROMPT-08", "the agent lists no command that is known to change nothing");
      return;
    }
    const blocks = [{ type: "text", text: `/${name}` }];
    const { end, n } = await stage.turn(session, { blocks });
    check.judge("DRA-PROMPT-08", isAnswered(end), `/${name}: ${describeReply(end)}`, {
      expected: `an answer to /${name}`,
      actual: describeReply(end),
      frames: evidence(stage.link, n, end),
    });
  },
};

const FAILURES: readonly { readonly what: string; readonly step: ScriptEntry }[] = [
  ...[400, 401, 429, 500].map((status) => ({ what: `status ${status}`, step: httpError(status) })),
  { what: "a broken stream", step: [text("I was about to "), brokenStream()] },
];

/** Agents call the model again after some seconds. */
const RETRY_MS = 45_000;

const serviceFails = modelCase({
  name: "prompt/model-service-fails",
  ids: ["DRA-PROMPT-05", "DRA-PROMPT-09"],
  process: "fresh",
  run: async (check) => {
    const stage = await Stage.open(check, { capabilities: {} });
    stage.needModel();
    for (const { what, step } of FAILURES) {
      const session = await stage.session();
      const limitMs = Math.max(RETRY_MS, check.pace.turnMs);
      const { end, n } = await stage.turn(session, { ending: [step], limitMs });
      await stage.link.barrier();
      const said = chunksOf(stage.link, session.id, "agent_message_chunk", n);
      const isVisible = end.kind === "error" || (end.kind === "result" && said.trim() !== "");
      check.judge("DRA-PROMPT-05", isVisible, `${what}: ${describeReply(end)}`, {
        expected: `an error or a message to the user after ${what} of the model service`,
        actual: `${describeReply(end)}, without a message`,
        frames: evidence(stage.link, n, end),
      });
      await judgeNextPrompt(check, stage, session, what);
    }
    await judgeLasting(check, stage);
    await judgeAfterEndings(check, stage);
  },
});

/** Turn ends that are not model failures. */
const ENDINGS: readonly { readonly what: string; readonly step: ScriptEntry }[] = [
  { what: "a refusal", step: [text("This is not "), finish("filtered")] },
  { what: "an answer that was cut", step: [text("It was a dark and "), finish("length")] },
];
/** Some agents ask the model again after such an end. */
const ENDS = 3;

/** DRA-PROMPT-09, after a turn that ended early, and after a prompt that the agent may refuse. */
async function judgeAfterEndings(check: AgentCheck, stage: Stage): Promise<void> {
  for (const { what, step } of ENDINGS) {
    const session = await stage.session();
    const { end } = await stage.turn(session, {
      ending: Array.from({ length: ENDS }, () => step),
    });
    if (isAnswered(end)) await judgeNextPrompt(check, stage, session, what);
  }
  for (const { what, prompt, isInvalid } of ODD_PROMPTS) {
    const session = await stage.session();
    stage.needModel().skip();
    const params = { sessionId: session.id, prompt };
    const options = { limitMs: check.pace.turnMs, isInvalid };
    const reply = await stage.link.request("session/prompt", params, options);
    if (isAnswered(reply)) await judgeNextPrompt(check, stage, session, what);
  }
}

/** More failures than an agent has patience for. */
const MANY_FAILURES = 100;

/** DRA-PROMPT-05: the model service fails every time. */
async function judgeLasting(check: AgentCheck, stage: Stage): Promise<void> {
  const model = stage.needModel();
  const session = await stage.session();
  const ending = Array.from({ length: MANY_FAILURES }, () => httpError(500));
  const limitMs = Math.max(RETRY_MS, check.pace.turnMs);
  const { end, n, ...turn } = await stage.turn(session, { ending, limitMs });
  const said = chunksOf(stage.link, session.id, "agent_message_chunk", n);
  const isVisible = end.kind === "error" || said.trim() !== "";
  const what = `status 500 for good, ${model.calls.length} calls`;
  if (isVisible || end.kind === "result" || end.kind === "ended") {
    check.judge("DRA-PROMPT-05", isVisible, `${what}: ${describeReply(end)}`, {
      expected: "an error or a message to the user when the model service fails every time",
      actual: `${describeReply(end)}, without a message`,
      frames: evidence(stage.link, n, end),
    });
  }
  // An agent that waits longer between its calls still tries; a verdict would take minutes.
  if (!isAnswered(end)) {
    stage.cancel(session);
    if (!isAnswered(await stage.endOf({ ...turn, n }))) return;
  }
  await judgeNextPrompt(check, stage, session, "status 500 for good");
}

const STILL_HERE = "Still here.";

/** DRA-PROMPT-09: the next prompt works. */
async function judgeNextPrompt(
  check: AgentCheck,
  stage: Stage,
  session: StageSession,
  what: string,
): Promise<void> {
  const { end, n } = await stage.turn(session, { ending: [text(STILL_HERE)] });
  const said = chunksOf(stage.link, session.id, "agent_message_chunk", n);
  const isKept = stopReasonOf(end) === "end_turn" && said.includes(STILL_HERE);
  check.judge("DRA-PROMPT-09", isKept, `after ${what}`, {
    expected: `a whole turn after ${what} in the turn before`,
    actual: `${describeReply(end)}, with the text ${shown(said)}`,
    frames: evidence(stage.link, n, end),
  });
}

const second: AgentCase = {
  name: "prompt/second-while-one-runs",
  ids: ["DRA-PROMPT-06"],
  process: "fresh",
  needs: "model",
  run: async (check) => {
    const stage = await Stage.open(check);
    const session = await stage.session();
    const first = await streamingTurn(stage, session);
    const other = stage.begin(session, { isAlongside: true });
    await stage.link.barrier();
    first.release();
    // A slow prompt of the user's may take longer than a limit.
    if (!stage.model) stage.cancel(session);
    const replies: readonly CallReply[] = [await stage.endOf(first), await stage.endOf(other)];
    const isKept = replies.every(isAnswered);
    const described = replies.map(describeReply).join("; ");
    check.judge("DRA-PROMPT-06", isKept, described, {
      expected: "an answer to both prompts",
      actual: described,
      frames: evidence(stage.link, first.n, other.n, ...replies),
    });
  },
};

export const promptCases: readonly AgentCase[] = [plain, odd, slash, serviceFails, second];
