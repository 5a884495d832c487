import { describe, expect, it } from "vitest";
import {
  AcpClient,
  localTerminals,
  type PermissionDecision,
  type PermissionRequest,
  type Session,
  type PromptTurn,
} from "../../src/entries/dragoman.ts";
import { isJsonObject, type JsonObject } from "../../src/base/index.ts";
import { framesOf, TranscriptAgent, transcripts, type Frame } from "./transcript.ts";

/** The expected outcome of a transcript, derived from it as plainly as possible. */
interface Expected {
  /** For each prompt: the text, and the stop reason or the error code. */
  readonly turns: { text: string; end: unknown }[];
  readonly toolCalls: Map<unknown, unknown>;
  plan: unknown;
  commands: unknown;
  title: unknown;
}

function expectedOutcome(frames: readonly Frame[]): Expected {
  const out: Expected = {
    turns: [],
    toolCalls: new Map(),
    plan: [],
    commands: [],
    title: undefined,
  };
  const prompts = new Map<unknown, Expected["turns"][number]>();
  let turn: Expected["turns"][number] | undefined;
  for (const { from, message } of frames) {
    const { id, method, params, result, error } = message;
    if (from === "client" && method === "session/prompt") {
      turn = { text: "", end: undefined };
      out.turns.push(turn);
      prompts.set(id, turn);
    } else if (from === "client" && method === "session/cancel") {
      for (const [call, status] of out.toolCalls) {
        if (status !== "completed" && status !== "failed") out.toolCalls.set(call, "cancelled");
      }
    } else if (from === "agent" && method === undefined && prompts.has(id)) {
      const ended = prompts.get(id);
      if (ended) ended.end = isJsonObject(error) ? error["code"] : stopReason(result);
      turn = undefined;
    } else if (from === "agent" && isJsonObject(params)) {
      const update = params["update"];
      if (isJsonObject(update)) applyUpdate(out, turn, update);
      const call = params["toolCall"];
      if (isJsonObject(call)) applyToolCall(out, call);
    }
  }
  return out;
}

function stopReason(result: unknown): unknown {
  return isJsonObject(result) ? result["stopReason"] : undefined;
}

function applyUpdate(out: Expected, turn: { text: string } | undefined, update: JsonObject): void {
  const content = update["content"];
  switch (update["sessionUpdate"]) {
    case "agent_message_chunk":
      if (turn && isJsonObject(content) && typeof content["text"] === "string") {
        turn.text += content["text"];
      }
      return;
    case "tool_call":
    case "tool_call_update":
      return applyToolCall(out, update);
    case "plan":
      out.plan = update["entries"];
      return;
    case "available_commands_update":
      out.commands = update["availableCommands"];
      return;
    case "session_info_update":
      if (update["title"] !== undefined) out.title = update["title"] ?? undefined;
  }
}

function applyToolCall(out: Expected, call: JsonObject): void {
  const id = call["toolCallId"];
  const known = out.toolCalls.get(id);
  const next = call["status"] ?? known ?? "pending";
  const isLate = known === "cancelled" && next !== "completed" && next !== "failed";
  out.toolCalls.set(id, isLate ? known : next);
}

/** Answers like the user in the transcript. A question without an answer there gets none here. */
function sameAnswers(
  frames: readonly Frame[],
): (r: PermissionRequest) => Promise<PermissionDecision> {
  const asked = new Map<unknown, unknown>();
  const answers = new Map<unknown, unknown[]>();
  for (const { from, message } of frames) {
    const { id, method, params, result } = message;
    if (method === "session/request_permission" && isJsonObject(params)) {
      const call = params["toolCall"];
      asked.set(id, isJsonObject(call) ? call["toolCallId"] : undefined);
    } else if (from === "client" && method === undefined && asked.has(id) && isJsonObject(result)) {
      const outcome = result["outcome"];
      const option = isJsonObject(outcome) ? outcome["optionId"] : undefined;
      answers.set(asked.get(id), [...(answers.get(asked.get(id)) ?? []), option]);
    }
  }
  return ({ toolCall }) => {
    const optionId = answers.get(toolCall?.toolCallId)?.shift();
    if (typeof optionId === "string") return Promise.resolve({ optionId, remember: "off" });
    return new Promise(() => {});
  };
}

async function replay(name: string) {
  const frames = framesOf(name);
  const agent = new TranscriptAgent(frames);
  const ask = sameAnswers(frames);
  const starting: Promise<AcpClient>[] = [];
  const opening: Promise<Session>[] = [];
  const turns: { turn: PromptTurn; text: Promise<string> }[] = [];
  let session: Session | undefined;
  await agent.play((method, params) => {
    const sessionId = String(params["sessionId"]);
    const cwd = String(params["cwd"]);
    const act = async (): Promise<void> => {
      if (method === "initialize") {
        const { channel } = agent;
        starting.push(
          AcpClient.start({
            channel,
            capabilities: { fs: { writeTextFile: true } },
            permissions: (request) =>
              request.subject.type === "tool_call" ? ask(request) : "deny",
            terminal: localTerminals(),
          }),
        );
        return;
      }
      const [client] = await Promise.all(starting);
      if (!client) throw new Error("the transcript does not start with initialize");
      if (method === "session/new") opening.push(client.newSession({ cwd }));
      if (method === "session/load") opening.push(client.loadSession({ sessionId, cwd }));
      session ??= (await Promise.all(opening))[0];
      if (method === "session/prompt") {
        await turns.at(-1)?.turn.result.catch(() => {});
        const turn = session?.prompt("as before");
        if (turn) turns.push({ turn, text: turn.text() });
      }
      if (method === "session/cancel") void session?.cancel();
    };
    void act();
  });
  const [client] = await Promise.all(starting);
  if (!client || !session) throw new Error("the transcript has no session");
  const ends = await Promise.all(
    turns.map(async ({ turn, text }) => ({
      text: await text.catch(() => ""),
      end: await turn.result.then(
        (result) => result.stopReason,
        (error: { rpcCode: number }) => error.rpcCode,
      ),
    })),
  );
  return { frames, agent, client, session, ends };
}

describe("the replayed transcript of a real agent", () => {
  it.each(transcripts)("%s leads to the right state", async (name) => {
    const { frames, agent, client, session, ends } = await replay(name);
    const expected = expectedOutcome(frames);
    // Blank lines between messages are the client's.
    const words = (text: string) => text.replaceAll(/\s+/g, " ");
    expect(ends.map(({ text, end }) => ({ text: words(text), end }))).toEqual(
      expected.turns.map(({ text, end }) => ({
        text: typeof end === "number" ? "" : words(text),
        end,
      })),
    );
    const statuses = [...session.toolCalls].map(([id, { status }]) => [id, status]);
    expect(new Map(statuses as [unknown, unknown][])).toEqual(expected.toolCalls);
    expect(session.plan).toEqual(expected.plan);
    expect(session.commands).toEqual(expected.commands);
    expect(session.title).toEqual(expected.title);
    expect(session.turnState).toBe("idle");
    expect(agent.checker.faults).toEqual([]);
    expect(agent.checker.judged).toBeGreaterThan(2);
    await client.close();
  });
});
