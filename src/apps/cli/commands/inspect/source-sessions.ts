import { type InspectedSession } from "../../../inspector/index.ts";
import {
  type ImportLoss,
  lossOf,
  type SessionEntry,
  type SessionHeader,
} from "../../../../trace/index.ts";
import { isRecordedLine } from "../../../../transport/wire/index.ts";
import type { SessionSink } from "./sources.ts";

/** A capture with more connections was not made by a program that is known. */
const MAX_LANES = 20;

/** Creates a session with this name. */
export type AddSession = (name: string) => InspectedSession;

/**
 * The sessions of a source. A capture of several connections has one for each of them, because frames of
 * different connections have nothing to do with each other.
 */
export class SourceSessions implements SessionSink {
  readonly #name: string;
  readonly #add: AddSession;
  readonly #losses: readonly ImportLoss[];
  readonly #byLane = new Map<string, InspectedSession>();
  #header: SessionHeader | undefined;
  #leftOut = 0;

  /** All sessions lack what is in `losses`. */
  constructor(name: string, add: AddSession, losses: readonly ImportLoss[]) {
    this.#name = name;
    this.#add = add;
    this.#losses = losses;
  }

  get list(): readonly InspectedSession[] {
    return [...this.#byLane.values()];
  }

  header(header: SessionHeader): void {
    this.#header = header;
  }

  entry(entry: SessionEntry): void {
    const session = this.#session(isRecordedLine(entry) ? (entry.lane ?? "") : this.#firstLane);
    if (session) session.add(entry);
    else this.#leftOut++;
  }

  ended(losses: readonly ImportLoss[]): void {
    // A recording without entries is a session too.
    if (this.#byLane.size === 0) this.#session("");
    const dropped = this.#leftOut === 0 ? [] : [lossOf("dropped", this.#leftOut)];
    for (const session of this.list) {
      session.losses = [...this.#losses, ...losses, ...dropped];
      session.log.end();
    }
  }

  resumed(): void {
    for (const { log } of this.list) log.reopen();
  }

  /** Events belong to no connection, so they are shown with the first one. */
  get #firstLane(): string {
    const [first] = this.#byLane.keys();
    return first ?? "";
  }

  #session(lane: string): InspectedSession | undefined {
    const known = this.#byLane.get(lane);
    if (known || this.#byLane.size >= MAX_LANES) return known;
    const session = this.#add(lane === "" ? this.#name : `${this.#name} · ${lane}`);
    session.losses = this.#losses;
    if (this.#header) session.start(this.#header);
    this.#byLane.set(lane, session);
    return session;
  }
}
