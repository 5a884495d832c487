import { readdirSync, readFileSync } from "node:fs";
import { isJsonObject, type JsonObject } from "../../src/base/index.ts";
import { memoryPair, type Channel } from "../../src/entries/wire.ts";
import { FrameChecker, type SchemaVersion } from "../support/schema.ts";

const folder = new URL("../transcripts/agents/", import.meta.url);

export const transcripts = readdirSync(folder)
  .filter((file) => file.endsWith(".jsonl"))
  .map((file) => file.replace(/\.jsonl$/, ""));

const CLOSE = "session/close";
const NOTIFICATIONS = new Set(["session/cancel", "$/cancel_request"]);

export interface Frame {
  readonly from: "client" | "agent";
  readonly message: JsonObject;
}

/** The frames that an agent and its client exchanged, in order. */
export function framesOf(name: string): readonly Frame[] {
  return readFileSync(new URL(`${name}.jsonl`, folder), "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .flatMap((line): Frame[] => {
      const entry: unknown = JSON.parse(line);
      if (!isJsonObject(entry) || !isJsonObject(entry["msg"])) return [];
      return [{ from: entry["dir"] === "c2a" ? "client" : "agent", message: entry["msg"] }];
    });
}

/**
 * Plays the agent's part of a transcript. Where the recorded client sent a request or notification,
 * `drive` makes the client under test do the same, and the play waits for it. Where the recorded client
 * answered, the play waits for an answer from the client under test, whatever its content.
 */
export class TranscriptAgent {
  /** For the client under test. */
  readonly channel: Channel;
  readonly checker: FrameChecker;
  readonly #ours: Channel;
  readonly #frames: readonly Frame[];
  /** The messages from the client under test: their ids, by `method` or `answer id`. */
  readonly #arrived = new Map<string, unknown[]>();
  readonly #waiting: (() => void)[] = [];

  constructor(frames: readonly Frame[], version: SchemaVersion = "stable") {
    this.checker = new FrameChecker("client", version);
    const [ours, theirs] = memoryPair();
    this.channel = theirs;
    this.#ours = ours;
    this.#frames = frames;
    ours.open((line) => this.#receive(line));
  }

  async play(drive: (method: string, params: JsonObject) => void): Promise<void> {
    /** Maps the ids in the transcript to those of the client under test. */
    const ids = new Map<unknown, unknown>();
    const closing = new Set<unknown>();
    for (const { from, message } of this.#frames) {
      const { id, method, params } = message;
      if (from === "agent") {
        const isClosed = method === undefined && closing.delete(id);
        if (isClosed) ids.set(id, await this.#arrival(CLOSE));
        const sent = method === undefined ? { ...message, id: ids.get(id) } : message;
        const line = JSON.stringify(sent);
        this.checker.saw("agent", line);
        await this.#ours.send(line);
      } else if (typeof method === "string") {
        drive(method, isJsonObject(params) ? params : {});
        // The client under test cancels a running turn first, and waits for its end.
        if (method === CLOSE) closing.add(id);
        else ids.set(id, await this.#arrival(method));
      } else {
        await this.#arrival(`answer ${String(id)}`);
      }
    }
  }

  /** Resolves when the client under test has received everything sent so far. */
  async delivered(): Promise<void> {
    await this.#ours.send(JSON.stringify({ jsonrpc: "2.0", id: "ping", method: "_ping" }));
    await this.#arrival("answer ping");
  }

  #receive(line: string): void {
    this.checker.saw("client", line);
    const message: unknown = JSON.parse(line);
    if (!isJsonObject(message)) return;
    const { id, method } = message;
    const key = typeof method === "string" ? method : `answer ${String(id)}`;
    this.#arrived.set(key, [...(this.#arrived.get(key) ?? []), id]);
    for (const wake of this.#waiting.splice(0)) wake();
  }

  async #arrival(key: string): Promise<unknown> {
    for (;;) {
      const [first, ...rest] = this.#arrived.get(key) ?? [];
      if (this.#arrived.has(key) && (first !== undefined || NOTIFICATIONS.has(key))) {
        if (rest.length > 0) this.#arrived.set(key, rest);
        else this.#arrived.delete(key);
        return first;
      }
      await new Promise<void>((resolve) => {
        this.#waiting.push(resolve);
      });
    }
  }
}
