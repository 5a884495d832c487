import { describe, expect, it } from "vitest";
import { translator } from "../../../src/protocol/translator/index.ts";
import { isJsonObject, type JsonObject } from "../../../src/base/index.ts";
import { FrameChecker } from "../../support/schema.ts";
import { asV1Client, capturedFrames, sessionCaptures } from "./captures.ts";

/** Methods that a v1 client cannot send. */
const V2_ONLY = new Set<unknown>(["tool_call/cancel", "terminal/cancel"]);

/**
 * For each capture with prompts: how the prompt with an id ends, and the index of the agent's frame that
 * ends it. Each of those is an idle state, or an error for the prompt itself.
 */
const ENDS: Readonly<Record<string, readonly string[]>> = {
  background: ["2 end_turn at 10 idle"],
  "cancel-during-permission": ["2 cancelled at 15 idle"],
  "cancel-with-held-prompt": ["3 error -32800 at 13 error", "2 cancelled at 14 idle"],
  elicitation: ["2 end_turn at 14 idle"],
  error: ["2 error -32603 at 9 idle", "3 error -32603 at 11 error", "4 error -32002 at 13 error"],
  // The stop reason there is `_acme_paused`.
  extensions: ["2 end_turn at 18 idle"],
  "plain-turn": ["2 end_turn at 15 idle"],
  // One idle state ends the first prompt and the one that steered it.
  "queued-prompts": ["2 end_turn at 15 idle", "3 end_turn at 15 idle", "4 end_turn at 26 idle"],
  "real-claude-0.99.1-cancel": ["3 error -32800 at 26 error", "2 cancelled at 28 idle"],
  "real-claude-0.99.1-error": ["2 error -32603 at 11 idle"],
  "real-claude-0.99.1-permission-cancel": ["2 cancelled at 27 idle"],
  "real-claude-0.99.1-tools": ["2 end_turn at 64 idle"],
  "real-codex-2.6.0-tools": ["3 end_turn at 39 idle"],
  "resume-replay": ["2 end_turn at 15 idle"],
  "tool-permission": ["2 end_turn at 25 idle"],
  "withdraw-prompt-and-close": ["3 error -32800 at 12 error", "2 cancelled at 15 idle"],
};

/** Plays a capture to a v1 client. */
function played(name: string) {
  const between = translator({ client: 1, agent: 2 });
  // The real agents send fields of the unstable schema without being asked.
  const checker = new FrameChecker("agent", name.startsWith("real-") ? "unstable" : "stable");
  const ends: string[] = [];
  const prompts = new Set<unknown>();
  const skipped = new Set<unknown>();
  const deliver = (frames: readonly JsonObject[], at: string): void => {
    for (const frame of frames) {
      checker.saw("agent", JSON.stringify(frame));
      const { id, method } = frame;
      if (method === undefined && prompts.has(id)) ends.push(`${String(id)} ${end(frame)} ${at}`);
    }
  };
  for (const [index, { from, frame }] of capturedFrames(name).entries()) {
    const at = `at ${index} ${label(frame)}`;
    if (from === "agent") {
      const answersSkipped = frame["method"] === undefined && skipped.has(frame["id"]);
      if (!answersSkipped) deliver(between.fromAgent(frame).toClient, at);
    } else if (V2_ONLY.has(frame["method"])) {
      skipped.add(frame["id"]);
    } else {
      const sent = asV1Client(frame);
      if (sent["method"] === "session/prompt") prompts.add(sent["id"]);
      checker.saw("client", JSON.stringify(sent));
      deliver(between.fromClient(sent).toClient, at);
    }
  }
  return { ends, checker };
}

function label({ params, error }: JsonObject): string {
  const update = isJsonObject(params) ? params["update"] : undefined;
  if (isJsonObject(update)) return String(update["state"] ?? update["sessionUpdate"]);
  return isJsonObject(error) ? "error" : "";
}

function end({ result, error }: JsonObject): string {
  if (isJsonObject(error)) return `error ${String(error["code"])}`;
  return isJsonObject(result) ? String(result["stopReason"]) : "nothing";
}

describe("a capture of a v2 agent, translated for a v1 client", () => {
  it.each(sessionCaptures)("%s is valid v1, and each prompt ends once", (name) => {
    const { ends, checker } = played(name);
    expect(checker.faults).toEqual([]);
    expect(checker.judged).toBeGreaterThan(2);
    expect(ends).toEqual(ENDS[name] ?? []);
  });
});
