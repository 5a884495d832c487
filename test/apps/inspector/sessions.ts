import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import {
  importSession,
  type SessionEntry,
  type SessionImport,
  SessionModel,
} from "../../../src/trace/index.ts";

const transcripts = new URL("../../transcripts/", import.meta.url);

/** A file of test/transcripts, decompressed. */
export function transcript(name: string): Uint8Array {
  const bytes = readFileSync(new URL(name, transcripts));
  return name.endsWith(".gz") ? gunzipSync(bytes) : bytes;
}

/** The model of a session that was read. */
export function modelOf({ header, entries, losses }: SessionImport): SessionModel {
  const model = new SessionModel();
  model.header = header;
  model.losses = losses;
  for (const entry of entries) model.append(entry);
  return model;
}

/** The model of a file of test/transcripts. */
export function modelOfFile(name: string): SessionModel {
  return modelOf(importSession(transcript(name)));
}

/** The model of entries that a test wrote. */
export function modelOfEntries(entries: readonly SessionEntry[]): SessionModel {
  return modelOf({ header: { format: "dragoman", isTimed: true }, entries, losses: [] });
}

/** Writes a session for a test: each call is a frame, one after the other. */
export class Script {
  readonly entries: SessionEntry[] = [];
  ms = 0;

  /** Lets time pass. */
  wait(ms: number): this {
    this.ms += ms;
    return this;
  }

  /** The client sends a message. */
  out(message: object): this {
    return this.#add("out", message);
  }

  /** The agent sends a message. */
  in(message: object): this {
    return this.#add("in", message);
  }

  /** The agent sends an update about session `s`. */
  update(sessionUpdate: string, fields: object = {}): this {
    const update = { sessionUpdate, ...fields };
    return this.in({ method: "session/update", params: { sessionId: "s", update } });
  }

  /** A piece of the agent's answer. */
  say(text: string, messageId?: string): this {
    return this.update("agent_message_chunk", { messageId, content: { type: "text", text } });
  }

  /** The handshake and a session `s`. */
  open(protocolVersion = 1): this {
    return this.out({ id: 0, method: "initialize", params: { protocolVersion } })
      .in({ id: 0, result: { protocolVersion } })
      .out({ id: 1, method: "session/new", params: { cwd: "/project", mcpServers: [] } })
      .in({ id: 1, result: { sessionId: "s" } });
  }

  /** A prompt in session `s`. */
  prompt(id: number, text = "do it"): this {
    const prompt = [{ type: "text", text }];
    return this.out({ id, method: "session/prompt", params: { sessionId: "s", prompt } });
  }

  /** The agent answers a prompt. */
  done(id: number, stopReason = "end_turn"): this {
    return this.in({ id, result: { stopReason } });
  }

  /** The agent asks for permission for a tool call. */
  ask(id: number, toolCallId: string): this {
    const params = { sessionId: "s", toolCall: { toolCallId }, options: OPTIONS };
    return this.in({ id, method: "session/request_permission", params });
  }

  /** The client answers a request for permission. */
  choose(id: number, optionId: string): this {
    return this.out({ id, result: { outcome: { outcome: "selected", optionId } } });
  }

  /** Something besides the frames. */
  event(entry: Extract<SessionEntry, { event: string }>): this {
    this.entries.push(entry);
    return this;
  }

  get model(): SessionModel {
    return modelOfEntries(this.entries);
  }

  #add(direction: "in" | "out", message: object): this {
    const line = JSON.stringify({ jsonrpc: "2.0", ...message });
    this.entries.push({ ms: this.ms, direction, line });
    return this;
  }
}

const OPTIONS = [
  { optionId: "once", name: "Allow once", kind: "allow_once" },
  { optionId: "always", name: "Always allow", kind: "allow_always" },
  { optionId: "no", name: "Reject", kind: "reject_once" },
];
