import { join } from "node:path";
import { pathToFileURL } from "node:url";
import {
  finish,
  text,
  thinking,
  type FinishReason,
  type ModelRequest,
} from "../../../../model/index.ts";
import type { JsonObject } from "../../../../wire/index.ts";
import { Unmet } from "../../../harness/errors.ts";
import { describeReply, shown } from "../../../harness/reply.ts";
import { evidence } from "../../agent-check.ts";
import { hasCapability } from "../../capabilities.ts";
import type { AgentCase } from "../../case.ts";
import { chunksOf, turnUpdatesAfter } from "../facts.ts";
import { imagesIn, isRealImage } from "../images.ts";
import { modelCase } from "../model-case.ts";
import { Stage, type StageSession, stopReasonOf } from "../stage.ts";
import { PIXEL, TONE } from "../media.ts";

interface Block {
  readonly id: string;
  readonly what: string;
  /** Undefined for content that every agent takes. */
  readonly capability: string | undefined;
  readonly block: (session: StageSession) => JsonObject;
}

const LINKED = "plover.md";
/** The files of the sessions: some agents read a linked file, and leave out one that they cannot read. */
const FILES = { [LINKED]: "The word is plugh.\n" };

/** A link to a file in the folder of the session. */
function linkIn({ cwd }: StageSession): JsonObject {
  const uri = pathToFileURL(join(cwd, LINKED)).href;
  return { type: "resource_link", uri, name: LINKED, mimeType: "text/markdown" };
}

const RESOURCE = {
  type: "resource",
  resource: {
    uri: "file:///notes/xyzzy.md",
    mimeType: "text/markdown",
    text: "The word is xyzzy.",
  },
};
const IMAGE = { type: "image", mimeType: "image/png", data: PIXEL };
const AUDIO = { type: "audio", mimeType: "audio/wav", data: TONE };

const BLOCKS: readonly Block[] = [
  { id: "ACP-PROMPT-003", what: "a link", capability: undefined, block: linkIn },
  {
    id: "ACP-PROMPTCAP-001",
    what: "an image",
    capability: "promptCapabilities.image",
    block: () => IMAGE,
  },
  {
    id: "ACP-PROMPTCAP-002",
    what: "a sound",
    capability: "promptCapabilities.audio",
    block: () => AUDIO,
  },
  {
    id: "ACP-PROMPTCAP-003",
    what: "an embedded resource",
    capability: "promptCapabilities.embeddedContext",
    block: () => RESOURCE,
  },
];

const accepted: AgentCase = {
  name: "prompt/content-accepted",
  ids: BLOCKS.map(({ id }) => id),
  process: "fresh",
  needs: "prompt",
  run: async (check) => {
    const stage = await Stage.open(check, { capabilities: {} });
    const { end: plain } = await stage.turn(await stage.session());
    stage.needPrompts(plain);
    for (const { id, what, capability, block } of BLOCKS) {
      if (capability !== undefined && !hasCapability(check.capabilities, capability)) {
        check.skip(id, `the agent does not advertise ${capability}`);
        continue;
      }
      const session = await stage.session(FILES);
      const blocks = [{ type: "text", text: "Look at this:" }, block(session)];
      const { end, n } = await stage.turn(session, { blocks });
      check.judge(id, end.kind === "result", `${what}: ${describeReply(end)}`, {
        expected: `a turn after a prompt with ${what}`,
        actual: describeReply(end),
        frames: evidence(stage.link, n, end),
      });
    }
  },
};

const WORD = "frobozz";

/** The parts of a prompt, and texts of which one is in a request to the model that has the part. */
const PARTS: readonly (Pick<Block, "what" | "capability" | "block"> & {
  readonly traces: readonly string[];
})[] = [
  {
    what: "text",
    capability: undefined,
    block: () => ({ type: "text", text: WORD }),
    traces: [WORD],
  },
  { what: "a link", capability: undefined, block: linkIn, traces: [LINKED, "plugh"] },
  {
    what: "an embedded resource",
    capability: "promptCapabilities.embeddedContext",
    block: () => RESOURCE,
    traces: ["xyzzy"],
  },
  {
    what: "the bytes of an image",
    capability: "promptCapabilities.image",
    block: () => IMAGE,
    traces: [PIXEL],
  },
];

/** How a part is found in the requests to the model; an agent may encode an image anew. */
function isFound(
  { traces, capability }: (typeof PARTS)[number],
  calls: readonly ModelRequest[],
): boolean {
  const bodies = calls.map(({ body }) => JSON.stringify(body));
  if (bodies.some((body) => traces.some((trace) => body.includes(trace)))) return true;
  const isImage = capability === "promptCapabilities.image";
  return isImage && calls.some(({ body }) => imagesIn(body).some(isRealImage));
}

const reachesModel = modelCase({
  name: "prompt/content-reaches-the-model",
  ids: ["DRA-PROMPT-01"],
  process: "fresh",
  run: async (check) => {
    const stage = await Stage.open(check, { capabilities: {} });
    const model = stage.needModel();
    const sent = PARTS.filter(
      ({ capability }) => capability === undefined || hasCapability(check.capabilities, capability),
    );
    const session = await stage.session(FILES);
    const before = model.calls.length;
    const blocks = sent.map(({ block }) => block(session));
    const { end, n } = await stage.turn(session, { blocks });
    const calls = model.calls.slice(before);
    if (calls.length === 0) {
      check.untested("DRA-PROMPT-01", `the agent did not call the model: ${describeReply(end)}`);
      return;
    }
    const lost = sent.filter((part) => !isFound(part, calls)).map(({ what }) => what);
    check.judge("DRA-PROMPT-01", lost.length === 0, sent.map(({ what }) => what).join(", "), {
      expected: "every part of the prompt in the request to the model",
      actual: `the request lacks ${lost.join(", ")}`,
      frames: evidence(stage.link, n, end),
    });
  },
});

/** Emoji of several code points, which lie across the deltas of the model. */
const ANSWER = "Grüße 👩‍🚀🚀 an alle: 日本語, \u{1F468}\u200D\u{1F469}\u200D\u{1F467}, ende.";
const THOUGHT = "Hmm, lemme ponder.";

const exactText = modelCase({
  name: "prompt/text",
  ids: ["DRA-PROMPT-02", "DRA-PROMPT-03", "DRA-UPD-03"],
  process: "fresh",
  isTraffic: true,
  run: async (check) => {
    const stage = await Stage.open(check);
    stage.needModel();
    const session = await stage.session();
    const step = [thinking(THOUGHT, { chunks: 3 }), text(ANSWER, { chunks: ANSWER.length })];
    const { end, n } = await stage.turn(session, { ending: [step] });
    await stage.link.barrier();
    const said = chunksOf(stage.link, session.id, "agent_message_chunk", n);
    const thought = chunksOf(stage.link, session.id, "agent_thought_chunk", n);
    const frames = evidence(stage.link, n, end);
    check.judge("DRA-PROMPT-02", said.includes(ANSWER), `${ANSWER.length} characters`, {
      expected: `the text ${shown(ANSWER)} in the chunks`,
      actual: shown(said),
      frames,
    });
    const isMixed = said.includes(THOUGHT) || thought.includes(ANSWER);
    if (thought === "" && !isMixed) check.untested("DRA-UPD-03", "the agent shows no thoughts");
    else
      check.judge("DRA-UPD-03", !isMixed, `thought ${shown(thought)}`, {
        expected: "the model's thinking in thoughts only, its text in messages only",
        actual: `messages ${shown(said)}, thoughts ${shown(thought)}`,
        frames,
      });
    if (end.kind !== "result") return;
    const late = turnUpdatesAfter(stage.link, session.id, end.n);
    check.judge("DRA-PROMPT-03", late.length === 0, "silence after the response", {
      expected: "no message or tool update after the response",
      actual: `${late.length} updates after the response`,
      frames: evidence(stage.link, end, ...late),
    });
  },
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

const finishReasons = modelCase({
  name: "prompt/finish-reasons",
  ids: ["DRA-PROMPT-04"],
  process: "fresh",
  run: async (check) => {
    const stage = await Stage.open(check, { capabilities: {} });
    const model = stage.needModel();
    for (const { reason, expected } of REASONS) {
      const session = await stage.session();
      const step = [text("This is all I can say"), finish(reason)];
      const before = model.calls.length;
      const { end, n } = await stage.turn(session, {
        ending: [...Array.from({ length: FINISHES }, () => step), text("At last.")],
      });
      const calls = model.calls.length - before;
      // An agent that does not reach the model shows nothing about its reasons.
      if (calls === 0) throw new Unmet(`no prompt works: ${describeReply(end)}`);
      // The stop reason follows the last answer.
      const hasGoneOn = calls > FINISHES;
      const wanted = hasGoneOn ? "end_turn" : expected;
      const how = hasGoneOn ? `stop, after ${FINISHES} answers with ${reason}` : reason;
      check.judge("DRA-PROMPT-04", stopReasonOf(end) === wanted, `${how} gives ${wanted}`, {
        expected: `${wanted} when the model finishes with ${how}`,
        actual: describeReply(end),
        frames: evidence(stage.link, n, end),
      });
    }
  },
});

export const contentCases: readonly AgentCase[] = [
  accepted,
  reachesModel,
  exactText,
  finishReasons,
];
