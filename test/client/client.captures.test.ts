// The captured connections of v2 agents, with our client in the place of the client that was captured.
import { describe, expect, it } from "vitest";
import {
  AcpClient,
  type PermissionDecision,
  type PromptTurn,
  type Session,
} from "../../src/entries/dragoman.ts";
import { bytesOf, isJsonObject, type JsonObject } from "../../src/base/index.ts";
import { capturedFrames, sessionCaptures } from "../protocol/translator/captures.ts";
import { type Frame, TranscriptAgent } from "./transcript.ts";

const ticks = "tick0 tick1 tick2 tick3 tick4 tick5 tick6 tick7";
const done = "All mock steps done.\n\n- item one\n- item two\n";

/** For each prompt of a capture, in order: its text, and its stop reason or error code. */
const TURNS: Readonly<Record<string, readonly (readonly [text: string, end: unknown])[]>> = {
  background: [["", "end_turn"]],
  "cancel-during-permission": [["", "cancelled"]],
  "cancel-with-held-prompt": [
    ["Working", "cancelled"],
    ["", "cancelled"],
  ],
  elicitation: [['accept {"db":"pg","port":5432,"tls":true}; accept', "end_turn"]],
  error: [
    ["", -32603],
    ["", -32603],
  ],
  extensions: [["", "_acme_paused"]],
  "plain-turn": [["Hello there.\n\nHello there!", "end_turn"]],
  "queued-prompts": [
    ["Working", "end_turn"],
    ["", "end_turn"],
    ["Hello there.\n\nHello there!", "end_turn"],
  ],
  "real-claude-0.99.1-cancel": [
    [`Hello from the mock model. This is a plain reply. ${ticks}`, "cancelled"],
    ["", "cancelled"],
  ],
  "real-claude-0.99.1-error": [["", -32603]],
  "real-claude-0.99.1-permission-cancel": [["Step 1: shell. ", "cancelled"]],
  "real-claude-0.99.1-tools": [
    [`Step 1: write. \n\nStep 2: edit. \n\nStep 3: shell. \n\n${done}`, "end_turn"],
  ],
  "real-codex-2.6.0-tools": [[`Step 1: shell. \n\n${done}`, "end_turn"]],
  "resume-replay": [["Hello there.\n\nHello there!", "end_turn"]],
  "tool-permission": [["Done.", "end_turn"]],
  "withdraw-prompt-and-close": [
    ["Working", "cancelled"],
    ["", "cancelled"],
  ],
};

/** Whether our client can send a request: the captures also show some that no public call makes. */
function isDrivable({ method, params }: JsonObject, isOpen: boolean): boolean {
  if (!isJsonObject(params)) return true;
  const { sessionId, type, replayFrom } = params;
  if (sessionId === "nope" || (typeof type === "string" && type.startsWith("_"))) return false;
  if (isJsonObject(replayFrom) && replayFrom["type"] !== "start") return false;
  // Our client does not open a session a second time.
  return method !== "session/resume" || !isOpen;
}

/** The frames of a capture without the requests that our client cannot send, and their answers. */
function drivableFrames(name: string): readonly Frame[] {
  const skipped = new Set<unknown>();
  let isOpen = false;
  return capturedFrames(name)
    .filter(({ from, frame }) => {
      const { id, method } = frame;
      if (from === "agent") return method !== undefined || !skipped.has(id);
      if (!isDrivable(frame, isOpen)) {
        skipped.add(id);
        return false;
      }
      if (method === "session/new" || method === "session/resume") isOpen = true;
      if (method === "session/close") isOpen = false;
      return true;
    })
    .map(({ from, frame }) => ({ from, message: frame }));
}

/** The state that the frames of an agent lead to, derived as plainly as possible. */
interface Expected {
  readonly toolCalls: Map<unknown, unknown>;
  readonly terminals: Map<unknown, string>;
  plan: unknown;
  title: unknown;
  activity: unknown;
  background: unknown;
  values: unknown;
}

function emptyState(): Expected {
  return {
    toolCalls: new Map(),
    terminals: new Map(),
    plan: [],
    title: undefined,
    activity: undefined,
    background: undefined,
    values: undefined,
  };
}

function expectedState(frames: readonly Frame[]): Expected {
  let out = emptyState();
  const bytes = new Map<unknown, number[]>();
  for (const { from, message } of frames) {
    const { method, params, result } = message;
    if (from === "client" && method === "session/resume") out = emptyState();
    if (from === "client") continue;
    const fields = isJsonObject(params) ? params : {};
    const { update, subject } = fields;
    if (isJsonObject(update)) applyUpdate(out, update, bytes);
    if (isJsonObject(subject) && isJsonObject(subject["toolCall"])) {
      applyToolCall(out, subject["toolCall"]);
    }
    if (isJsonObject(result) && Array.isArray(result["configOptions"])) {
      out.values = values(result["configOptions"], "configId");
    }
  }
  for (const [id, all] of bytes) {
    out.terminals.set(id, new TextDecoder().decode(Uint8Array.from(all)));
  }
  return out;
}

function applyUpdate(out: Expected, update: JsonObject, bytes: Map<unknown, number[]>): void {
  const { terminalId, output, plan } = update;
  switch (update["sessionUpdate"]) {
    case "tool_call_update":
      return applyToolCall(out, update);
    case "terminal_update": {
      const data = isJsonObject(output) ? [...bytesOf(String(output["data"]))] : undefined;
      bytes.set(terminalId, data ?? bytes.get(terminalId) ?? []);
      return;
    }
    case "terminal_output_chunk":
      bytes.set(terminalId, [...(bytes.get(terminalId) ?? []), ...bytesOf(String(update["data"]))]);
      return;
    case "plan_update":
      out.plan = isJsonObject(plan) ? plan["entries"] : [];
      return;
    case "session_info_update":
      if (update["title"] !== undefined) out.title = update["title"] ?? undefined;
      return;
    case "config_option_update":
      out.values = values(update["configOptions"], "configId");
      return;
    case "state_update": {
      const state = String(update["state"]);
      out.activity = state.startsWith("_") ? "unknown" : state;
      out.background = update["background"] ?? out.background;
    }
  }
}

function applyToolCall(out: Expected, call: JsonObject): void {
  const { toolCallId, status } = call;
  const known = out.toolCalls.get(toolCallId);
  const isUnknown = typeof status === "string" && status.startsWith("_");
  out.toolCalls.set(toolCallId, isUnknown ? "in_progress" : (status ?? known ?? "pending"));
}

function values(options: unknown, id: string): unknown {
  if (!Array.isArray(options)) return undefined;
  return options.map((option: JsonObject) => [option[id], option["currentValue"]]);
}

/** Answers like the user in the capture. A question without an answer there gets none here. */
function sameAnswers(frames: readonly Frame[]) {
  const answers: unknown[] = [];
  for (const { from, message } of frames) {
    const { id, method } = message;
    if (from !== "agent" || method !== "session/request_permission") continue;
    const answer = frames.find((one) => one.from === "client" && isAnswer(one.message, id));
    const result = answer?.message["result"];
    const outcome = isJsonObject(result) ? result["outcome"] : undefined;
    answers.push(isJsonObject(outcome) ? outcome["optionId"] : undefined);
  }
  let asked = 0;
  return (): Promise<PermissionDecision> => {
    const optionId = answers[asked++];
    return typeof optionId === "string" ? Promise.resolve({ optionId }) : new Promise(() => {});
  };
}

function isAnswer({ id, method }: JsonObject, asked: unknown): boolean {
  return method === undefined && id === asked;
}

async function replay(name: string) {
  const frames = drivableFrames(name);
  const agent = new TranscriptAgent(frames, "v2");
  const ask = sameAnswers(frames);
  let starting: Promise<AcpClient> | undefined;
  let opening: Promise<Session> | undefined;
  const turns: { turn: PromptTurn; text: Promise<string> }[] = [];
  const calls: Promise<unknown>[] = [];
  const act = async (method: string, params: JsonObject): Promise<void> => {
    const { channel } = agent;
    if (method === "initialize") {
      starting = AcpClient.start({
        channel,
        protocol: 2,
        permissions: (request) => (request.subject.type === "tool_call" ? ask() : "deny"),
        elicitation: {
          form: () => ({ action: "accept", content: { db: "pg", port: 5432, tls: true } }),
          url: () => ({ action: "accept" }),
        },
      });
      return;
    }
    const client = await starting;
    if (!client) throw new Error("the capture does not start with initialize");
    const [sessionId, cwd] = [String(params["sessionId"]), String(params["cwd"])];
    const options = { sessionId, cwd };
    switch (method) {
      case "session/new":
        opening = client.newSession({ cwd });
        return;
      case "session/resume":
        opening = params["replayFrom"]
          ? client.loadSession(options)
          : client.resumeSession(options);
        return;
      case "session/list":
        calls.push(client.listSessions().next());
        return;
      case "session/delete":
        calls.push(client.deleteSession(sessionId).catch(() => {}));
        return;
      case "auth/login":
        calls.push(client.authenticate(String(params["methodId"])));
        return;
      case "auth/logout":
        calls.push(client.logout());
        return;
      case "_acme/unknown":
        calls.push(client.call("_acme/unknown").catch(() => {}));
        return;
    }
    const session = await opening;
    if (!session) throw new Error("the capture has no session");
    switch (method) {
      case "session/prompt": {
        const turn = session.prompt("as before", { whenBusy: "send" });
        turns.push({ turn, text: turn.text() });
        return;
      }
      case "session/cancel":
        void session.cancel();
        return;
      case "$/cancel_request":
        void turns.at(-1)?.turn.cancel();
        return;
      case "session/close":
        calls.push(session.close());
        return;
      case "session/set_config_option": {
        const value = params["value"];
        const known = typeof value === "boolean" ? value : String(value);
        calls.push(session.setConfigOption(String(params["configId"]), known));
        return;
      }
      case "terminal/cancel":
        await agent.delivered();
        calls.push(session.cancelTerminal(String(params["terminalId"])));
    }
  };
  const acted: Promise<void>[] = [];
  await agent.play((method, params) => void acted.push(act(method, params)));
  await Promise.all(acted);
  await Promise.all(calls);
  const client = await starting;
  if (!client) throw new Error("the capture does not start with initialize");
  const session = await opening;
  const ends = await Promise.all(
    turns.map(async ({ turn, text }) => [
      await text.catch(() => ""),
      await turn.result.then(
        (result) => result.stopReason,
        (error: { rpcCode: number }) => error.rpcCode,
      ),
    ]),
  );
  return { frames, agent, client, session, ends };
}

describe("a captured v2 agent with our client", () => {
  it.each(sessionCaptures)("%s leads to the right turns and state", async (name) => {
    const { frames, agent, client, session, ends } = await replay(name);
    expect(client.agent.protocolVersion).toBe(2);
    expect(agent.checker.faults).toEqual([]);
    expect(ends).toEqual(TURNS[name] ?? []);
    if (session) {
      const expected = expectedState(frames);
      const statuses = [...session.toolCalls].map(([id, { status }]) => [id, status]);
      expect(new Map(statuses as [unknown, unknown][])).toEqual(expected.toolCalls);
      const outputs = [...session.terminals].map(([id, { output }]) => [id, output]);
      expect(new Map(outputs as [unknown, string][])).toEqual(expected.terminals);
      expect(session.plan).toEqual(expected.plan);
      expect(session.title).toEqual(expected.title);
      expect(session.activity).toBe(expected.activity);
      expect(session.background).toEqual(expected.background);
      expect(values(session.configOptions, "id")).toEqual(expected.values);
      expect(session.turnState).toBe("idle");
    }
    await client.close();
  });
});
