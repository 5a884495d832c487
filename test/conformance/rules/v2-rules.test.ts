import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/base/index.ts";
import { JudgedLines } from "../connection.ts";
import {
  capturedFrames,
  type CapturedFrame,
  sessionCaptures,
} from "../../protocol/translator/captures.ts";

/** The requirements that the agent breaks in a connection. */
function brokenIn(frames: readonly CapturedFrame[]): readonly string[] {
  const connection = new JudgedLines(2);
  for (const { from, frame } of frames) connection.saw(from, frame);
  return connection.judge.violations.filter(({ side }) => side === "agent").map(({ id }) => id);
}

describe("passive rules find nothing in recorded agents of version 2 that keep them", () => {
  it.each(sessionCaptures)("%s", (name) => {
    expect(brokenIn(capturedFrames(name))).toEqual([]);
  });
});

const sessionId = "session";

function client(frame: JsonObject): CapturedFrame {
  return { from: "client", frame: { jsonrpc: "2.0", ...frame } };
}

function agent(frame: JsonObject): CapturedFrame {
  return { from: "agent", frame: { jsonrpc: "2.0", ...frame } };
}

function state(name: string, stopReason?: string): CapturedFrame {
  const update = { sessionUpdate: "state_update", state: name, ...(stopReason && { stopReason }) };
  return agent({ method: "session/update", params: { sessionId, update } });
}

const prompt = client({
  id: 1,
  method: "session/prompt",
  params: { sessionId, prompt: [{ type: "text", text: "Hello" }] },
});
const receipt = agent({ id: 1, result: { messageId: "message" } });

describe("an idle", () => {
  it("that ends a turn needs a running before it", () => {
    expect(brokenIn([prompt, receipt, state("idle", "end_turn")])).toContain("ACP-STATE-201");
  });
  it("that is the snapshot of a resume needs none", () => {
    const params = { sessionId, cwd: "/project" };
    const resume = client({ id: 2, method: "session/resume", params });
    const frames = [prompt, receipt, resume, state("idle", "end_turn")];
    expect(brokenIn(frames)).not.toContain("ACP-STATE-201");
  });
});

describe("an agent that asks for permission", () => {
  const params = {
    sessionId,
    title: "May I?",
    options: [{ optionId: "yes", name: "Yes", kind: "allow_once" }],
  };
  const question = agent({ id: 7, method: "session/request_permission", params });
  const answer = client({ id: 7, result: { outcome: { outcome: "selected", optionId: "yes" } } });
  const later = [client({ id: 3, method: "_later", params: {} }), agent({ id: 3, result: {} })];

  it("and answers other requests reports that it waits", () => {
    const frames = [state("running"), question, ...later, answer, state("running")];
    expect(brokenIn(frames)).toEqual(["ACP-PATCH-209"]);
  });
  it("may report it before or after the question", () => {
    const waits = state("requires_action");
    expect(brokenIn([state("running"), waits, question, ...later, answer])).toEqual([]);
    expect(brokenIn([state("running"), question, waits, ...later, answer])).toEqual([]);
  });
  it("need not report it if the answer comes at once", () => {
    const frames = [
      state("running"),
      question,
      answer,
      state("running"),
      state("idle", "end_turn"),
    ];
    expect(brokenIn(frames)).toEqual([]);
  });
});
