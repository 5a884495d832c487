import { numberField } from "../../base/index.ts";
import { idKey, resultOf } from "../message.ts";
import type { FrameTable } from "./frame-table.ts";
import type { Mutable, TracedFrame, TracedLane } from "./traced.ts";

interface OpenRequests {
  readonly lane: Mutable<TracedLane>;
  readonly in: Map<string, number>;
  readonly out: Map<string, number>;
}

/** The connections: which requests are open, and what `initialize` agreed on. */
export class LaneTracker {
  readonly #frames: FrameTable;
  readonly #lanes = new Map<string, OpenRequests>();

  constructor(frames: FrameTable) {
    this.#frames = frames;
  }

  get list(): readonly TracedLane[] {
    return [...this.#lanes.values()].map(({ lane }) => lane);
  }

  /** The open requests, oldest first. */
  get open(): readonly number[] {
    return [...this.#lanes.values()]
      .flatMap((lane) => [...lane.in.values(), ...lane.out.values()])
      .toSorted((a, b) => a - b);
  }

  isV2(name: string): boolean {
    return (this.#lanes.get(name)?.lane.protocolVersion ?? 1) >= 2;
  }

  /** Pairs a response with its request, and returns the request; -1 if there is none. */
  take(row: number, frame: Pick<TracedFrame, "direction" | "lane" | "message">): number {
    const lane = this.#lane(frame.lane);
    const { message } = frame;
    if (message.kind === "request") {
      lane[frame.direction].set(idKey(message.id), row);
      if (message.method === "initialize") lane.lane.initialize = row;
      return -1;
    }
    if (message.kind !== "result" && message.kind !== "error") return -1;
    const open = lane[frame.direction === "in" ? "out" : "in"];
    const key = idKey(message.id);
    const request = open.get(key) ?? -1;
    if (request < 0) return -1;
    open.delete(key);
    this.#frames.setPair(request, row);
    if (request === lane.lane.initialize && message.kind === "result") {
      lane.lane.initialized = row;
      lane.lane.protocolVersion = numberField(resultOf(message), "protocolVersion");
    }
    return request;
  }

  #lane(name: string): OpenRequests {
    const known = this.#lanes.get(name);
    if (known) return known;
    const lane = { name, initialize: -1, initialized: -1, protocolVersion: undefined };
    const open: OpenRequests = { lane, in: new Map(), out: new Map() };
    this.#lanes.set(name, open);
    return open;
  }
}
