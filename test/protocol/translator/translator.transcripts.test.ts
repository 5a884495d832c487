// The frames of real v1 agents, translated for a v2 client.
import { describe, expect, it } from "vitest";
import { translator } from "../../../src/protocol/translator/index.ts";
import { isJsonObject, type JsonObject } from "../../../src/base/index.ts";
import { framesOf, transcripts } from "../../client/transcript.ts";
import { FrameChecker } from "../../support/schema.ts";
import { updateOf } from "./sides.ts";

/** The frame that a v2 client would have sent instead of a frame of the v1 client. */
function asV2Client(frame: JsonObject): JsonObject {
  const { method } = frame;
  const params = isJsonObject(frame["params"]) ? frame["params"] : {};
  switch (method) {
    case "initialize": {
      const info = { name: "test", version: "1" };
      return { ...frame, params: { protocolVersion: 2, info, capabilities: {} } };
    }
    case "authenticate":
      return { ...frame, method: "auth/login" };
    case "session/load": {
      const replayFrom = { type: "start" };
      return { ...frame, method: "session/resume", params: { ...params, replayFrom } };
    }
    case "session/set_mode": {
      const { modeId, ...rest } = params;
      const inV2 = { ...rest, configId: "mode", type: "id", value: modeId };
      return { ...frame, method: "session/set_config_option", params: inV2 };
    }
    default:
      return frame;
  }
}

/** For a prompt: its answer, and the end of its work. */
interface Ends {
  accepted: number;
  idle: unknown[];
}

function played(name: string) {
  const between = translator({ client: 2, agent: 1 });
  const checker = new FrameChecker("agent", "v2 unstable");
  const source = new FrameChecker("agent", "unstable");
  const refused = new Set<unknown>();
  const prompts = new Set<unknown>();
  const ends: Ends = { accepted: 0, idle: [] };
  let answered = 0;
  const deliver = (frames: readonly JsonObject[], isValid = true): void => {
    for (const frame of frames) {
      if (isValid) checker.saw("agent", JSON.stringify(frame));
      const update = updateOf(frame);
      if (update?.["state"] === "idle" && prompts.size > 0) ends.idle.push(update["stopReason"]);
      if (frame["method"] === undefined && prompts.has(frame["id"])) ends.accepted++;
    }
  };
  for (const { from, message } of framesOf(name)) {
    const { id, method } = message;
    if (from === "client") {
      // The translator has answered for the client.
      if (method === undefined && refused.has(id)) continue;
      const sent = asV2Client(message);
      if (method === "session/prompt") prompts.add(id);
      source.saw("client", JSON.stringify(message));
      checker.saw("client", JSON.stringify(sent));
      deliver(between.fromClient(sent).toClient);
    } else {
      if (method === undefined && prompts.has(id)) answered++;
      const { toClient, toAgent } = between.fromAgent(message);
      for (const frame of toAgent) refused.add(frame["id"]);
      // Agents also send things that no schema has, which pass unchanged.
      const before = source.faults.length;
      source.saw("agent", JSON.stringify(message));
      deliver(toClient, source.faults.length === before);
    }
  }
  return { checker, ends, answered, prompts };
}

describe("the transcript of a v1 agent, translated for a v2 client", () => {
  it.each(transcripts)("%s is valid v2, and each prompt is accepted and ends", (name) => {
    const { checker, ends, answered, prompts } = played(name);
    expect(checker.faults).toEqual([]);
    expect(checker.judged).toBeGreaterThan(2);
    expect(ends.accepted).toBe(prompts.size);
    expect(ends.idle).toHaveLength(answered);
    expect(ends.idle).not.toContain(undefined);
  });
});
