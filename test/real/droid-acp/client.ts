/**
 * An ACP client for tests, on our own Peer. Every frame of the agent's is judged by the official
 * schema, strictly; `initialize` and `session/fork` by the unstable one, since fork is only there.
 */
import { expect } from "vitest";
import { Peer, type RequestContext } from "../../../src/rpc/index.ts";
import { tapped, type Channel } from "../../../src/wire/index.ts";
import { FrameChecker } from "../../support/schema.ts";

export type Json = Record<string, unknown>;

export function isJson(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export type Answer = (params: Json, context: RequestContext) => unknown;

/** Everything a client can offer. */
export const EVERYTHING: Json = {
  fs: { readTextFile: true, writeTextFile: true },
  terminal: true,
  auth: { terminal: true },
  elicitation: { form: {}, url: {} },
  session: { configOptions: { boolean: {} }, notices: {}, compaction: {} },
};

const UNSTABLE = new Set(["initialize", "session/fork"]);

/** Judges what an agent writes, whatever it is driven by. */
export class FrameJudge {
  readonly #stable = new FrameChecker("agent");
  readonly #unstable = new FrameChecker("agent", "unstable");
  readonly #asked = new Map<unknown, unknown>();

  /** Shows it a line that one of the sides wrote. */
  saw(from: "agent" | "client", line: string): void {
    const frame: unknown = JSON.parse(line);
    if (!isJson(frame)) throw new Error(`no frame: ${line}`);
    if (from === "client") {
      if (typeof frame["method"] === "string") this.#asked.set(frame["id"], frame["method"]);
      this.#stable.saw("client", line);
      this.#unstable.saw("client", line);
      return;
    }
    const asked = frame["method"] === undefined ? this.#asked.get(frame["id"]) : undefined;
    // Dropped from the protocol, and answered all the same: there is no schema for it.
    if (asked === "session/set_model") return;
    const checker = UNSTABLE.has(String(asked)) ? this.#unstable : this.#stable;
    checker.saw("agent", line);
  }

  verify(): void {
    const faults = [...this.#stable.faults, ...this.#unstable.faults];
    expect(faults, "what the schema has against the frames of the agent").toEqual([]);
  }
}

export class AcpClient {
  readonly peer: Peer;
  readonly channel: Channel;
  /** Everything the agent said and asked, in order: `update <kind>` or the method. */
  readonly log: string[] = [];
  readonly updates: Json[] = [];
  readonly judge = new FrameJudge();
  /** Whose update it was, in the order of `updates`. */
  readonly sessions: string[] = [];
  #waiting: { readonly test: () => boolean; readonly done: () => void }[] = [];

  constructor(channel: Channel, answers: Readonly<Record<string, Answer>>) {
    this.channel = channel;
    const watched = tapped(channel, ({ direction, line }) =>
      this.judge.saw(direction === "in" ? "agent" : "client", line),
    );
    this.peer = new Peer(watched, {
      handlers: {
        request: (method, params, context) => {
          this.#note(method);
          const answer = answers[method];
          if (!answer) throw new Error(`the test client was asked for ${method}`);
          return answer(isJson(params) ? params : {}, context);
        },
        notification: (method, params) => {
          const { update, sessionId } = isJson(params) ? params : {};
          if (method !== "session/update" || !isJson(update)) return this.#note(method);
          this.updates.push(update);
          this.sessions.push(String(sessionId));
          this.#note(`update ${String(update["sessionUpdate"])}`);
        },
      },
    });
  }

  initialize(capabilities: Json = {}): Promise<Json> {
    return this.call("initialize", {
      protocolVersion: 1,
      clientCapabilities: capabilities,
      clientInfo: { name: "test", version: "0" },
    });
  }

  async call(method: string, params: unknown = {}): Promise<Json> {
    const result = await this.peer.call(method, params);
    if (!isJson(result)) throw new Error(`${method} was answered with ${JSON.stringify(result)}`);
    return result;
  }

  async newSession(cwd: string, more: Json = {}): Promise<string> {
    const result = await this.call("session/new", { cwd, mcpServers: [], ...more });
    return String(result["sessionId"]);
  }

  /** Prompts, and gives the stop reason. */
  async prompt(sessionId: string, prompt: string | readonly Json[]): Promise<unknown> {
    const blocks = typeof prompt === "string" ? [{ type: "text", text: prompt }] : prompt;
    return (await this.call("session/prompt", { sessionId, prompt: blocks }))["stopReason"];
  }

  cancel(sessionId: string): Promise<void> {
    return this.peer.notify("session/cancel", { sessionId });
  }

  /** Resolves as soon as something holds of what was heard. */
  until(test: () => boolean): Promise<void> {
    if (test()) return Promise.resolve();
    return new Promise((done) => this.#waiting.push({ test, done }));
  }

  /** Resolves when an entry stands in the log. */
  seen(entry: string): Promise<void> {
    return this.until(() => this.log.includes(entry));
  }

  /** What was said, put together. */
  text(kind = "agent_message_chunk", from = 0): string {
    return this.updates
      .slice(from)
      .filter((update) => update["sessionUpdate"] === kind)
      .map(chunkText)
      .join("");
  }

  ofKind(kind: string, from = 0): Json[] {
    return this.updates.slice(from).filter((update) => update["sessionUpdate"] === kind);
  }

  #note(entry: string): void {
    this.log.push(entry);
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const one of waiting) {
      if (one.test()) one.done();
      else this.#waiting.push(one);
    }
  }
}

/** The text of a chunk; empty for other content. */
export function chunkText({ content }: Json): string {
  return isJson(content) && typeof content["text"] === "string" ? content["text"] : "";
}

/** The error a call was answered with, as the wire has it. */
export async function refusal(
  call: Promise<unknown>,
): Promise<{ code: unknown; message: string; data: unknown }> {
  const outcome = await call.then(
    (result) => ({ result }),
    (error: unknown) => ({ error }),
  );
  if (!("error" in outcome)) throw new Error(`it was answered: ${JSON.stringify(outcome)}`);
  const { error } = outcome;
  if (!(error instanceof Error) || !("code" in error)) throw error;
  return {
    code: error.code,
    message: error.message,
    data: "data" in error ? error.data : undefined,
  };
}

/** Chooses an option by its kind or its id, for permission requests; nothing found cancels. */
export function choose(...wanted: readonly string[]): Answer {
  let next = 0;
  return (params) => {
    const choice = wanted[Math.min(next++, wanted.length - 1)];
    const options = Array.isArray(params["options"]) ? params["options"].filter(isJson) : [];
    const found = options.find((one) => one["kind"] === choice || one["optionId"] === choice);
    if (!found) return { outcome: { outcome: "cancelled" } };
    return { outcome: { outcome: "selected", optionId: found["optionId"] } };
  };
}

/** The tool calls, with all updates laid over each other; each must be announced once, before them. */
export function toolCalls(client: AcpClient, from = 0): Map<string, Json> {
  const calls = new Map<string, Json>();
  for (const update of client.updates.slice(from)) {
    const kind = update["sessionUpdate"];
    if (kind !== "tool_call" && kind !== "tool_call_update") continue;
    const id = String(update["toolCallId"]);
    if (kind === "tool_call" && calls.has(id)) throw new Error(`${id} is announced twice`);
    if (kind === "tool_call_update" && !calls.has(id)) throw new Error(`${id} is not announced`);
    calls.set(id, { ...calls.get(id), ...update });
  }
  return calls;
}

/** Content blocks of a tool call as short texts: what a person sees of it. */
export function contentOf(call: Json | undefined): string[] {
  const content = Array.isArray(call?.["content"]) ? call["content"].filter(isJson) : [];
  return content.map((item) => {
    if (item["type"] === "diff")
      return `diff ${String(item["path"])}: ${JSON.stringify(item["oldText"])} -> ${JSON.stringify(item["newText"])}`;
    if (item["type"] !== "content") return String(item["type"]);
    return isJson(item["content"]) ? String(item["content"]["text"]) : "";
  });
}
