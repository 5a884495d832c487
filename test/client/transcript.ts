import { readdirSync, readFileSync } from "node:fs";
import { isJsonObject, type JsonObject } from "../../src/wire/index.ts";
import { memoryPair, type Channel } from "../../src/entries/wire.ts";
import { FrameChecker } from "../support/schema.ts";

const folder = new URL("../transcripts/agents/", import.meta.url);

export const transcripts = readdirSync(folder)
  .filter((file) => file.endsWith(".jsonl"))
  .map((file) => file.replace(/\.jsonl$/, ""));

export interface Frame {
  readonly from: "client" | "agent";
  readonly message: JsonObject;
}

/** The frames one agent and its client exchanged, in order. */
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
 * Plays the agent's part of a transcript. Where the client called or notified, `drive` has the client
 * under test do the same, and the play goes on when it has; where the client answered, it goes on
 * when the client under test has answered too, whatever it says.
 */
export class TranscriptAgent {
  /** For the client under test. */
  readonly channel: Channel;
  readonly checker = new FrameChecker("client");
  readonly #ours: Channel;
  readonly #frames: readonly Frame[];
  /** What the client under test has sent: `method` or `answer id`, to its id. */
  readonly #came = new Map<string, unknown[]>();
  #woken: () => void = () => {};

  constructor(frames: readonly Frame[]) {
    const [ours, theirs] = memoryPair();
    this.channel = theirs;
    this.#ours = ours;
    this.#frames = frames;
    ours.open((line) => this.#receive(line));
  }

  async play(drive: (method: string, params: JsonObject) => void): Promise<void> {
    /** The ids of the client under test for those in the transcript. */
    const ids = new Map<unknown, unknown>();
    for (const { from, message } of this.#frames) {
      const { id, method, params } = message;
      if (from === "agent") {
        const sent = method === undefined ? { ...message, id: ids.get(id) } : message;
        const line = JSON.stringify(sent);
        this.checker.saw("agent", line);
        await this.#ours.send(line);
      } else if (typeof method === "string") {
        drive(method, isJsonObject(params) ? params : {});
        ids.set(id, await this.#arrival(method));
      } else {
        await this.#arrival(`answer ${String(id)}`);
      }
    }
  }

  #receive(line: string): void {
    this.checker.saw("client", line);
    const message: unknown = JSON.parse(line);
    if (!isJsonObject(message)) return;
    const { id, method } = message;
    const key = typeof method === "string" ? method : `answer ${String(id)}`;
    this.#came.set(key, [...(this.#came.get(key) ?? []), id]);
    this.#woken();
  }

  async #arrival(key: string): Promise<unknown> {
    for (;;) {
      const [first, ...rest] = this.#came.get(key) ?? [];
      if (this.#came.has(key) && (first !== undefined || key === "session/cancel")) {
        if (rest.length > 0) this.#came.set(key, rest);
        else this.#came.delete(key);
        return first;
      }
      await new Promise<void>((resolve) => {
        this.#woken = resolve;
      });
    }
  }
}
