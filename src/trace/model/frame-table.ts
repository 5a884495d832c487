import { float64, int32, TextTable, uint16, uint8 } from "./columns.ts";
import { LineStore } from "./line-store.ts";
import { FRAME_KINDS, type FrameKind } from "../message.ts";

/** The values of a new row. Everything else is added as it becomes known. */
export interface NewFrame {
  readonly ms: number;
  readonly direction: "in" | "out";
  readonly line: string;
  readonly kind: FrameKind;
  readonly method: string;
  readonly idKey: string;
  readonly update: string;
  readonly lane: string;
}

/** Names come from agents, so there may be any number of them. The column of names has 16 bits. */
const MOST_NAMES = 65_535;

/**
 * The frames of a recording: the bytes of each line, and one typed column for each fact about it. A frame is a
 * row, counted from 0. References to other things are their numbers, and -1 where there is none.
 */
export class FrameTable {
  readonly lines = new LineStore();
  readonly #names = new TextTable(MOST_NAMES);
  readonly #ids = new TextTable();
  readonly #ms = float64();
  readonly #direction = uint8();
  readonly #kind = uint8();
  readonly #method = uint16();
  readonly #update = uint16();
  readonly #lane = uint16();
  readonly #id = int32();
  readonly #pair = int32();
  readonly #session = int32();
  readonly #turn = int32();
  readonly #tool = int32();
  readonly #item = int32();
  readonly #next = int32();
  readonly #references = [
    this.#pair,
    this.#session,
    this.#turn,
    this.#tool,
    this.#item,
    this.#next,
  ];

  get count(): number {
    return this.#ms.count;
  }

  /** The last time in the table; 0 if it is empty. */
  get lastMs(): number {
    return this.count === 0 ? 0 : this.#ms.get(this.count - 1);
  }

  push(frame: NewFrame): number {
    this.#ms.push(frame.ms);
    this.#direction.push(frame.direction === "in" ? 0 : 1);
    this.#kind.push(FRAME_KINDS.indexOf(frame.kind));
    this.#method.push(this.#names.add(frame.method));
    this.#update.push(this.#names.add(frame.update));
    this.#lane.push(this.#names.add(frame.lane));
    this.#id.push(this.#ids.add(frame.idKey));
    for (const column of this.#references) column.push(-1);
    return this.lines.push(frame.line);
  }

  ms(row: number): number {
    return this.#ms.get(row);
  }

  /** `in` is what the client received. */
  direction(row: number): "in" | "out" {
    return this.#direction.get(row) === 1 ? "out" : "in";
  }

  kind(row: number): FrameKind {
    return FRAME_KINDS[this.#kind.get(row)] ?? "other";
  }

  /** The method; for a response, the method of its request. Empty if it is unknown. */
  method(row: number): string {
    return this.#names.text(this.#method.get(row));
  }

  /** The kind of the update in a `session/update`; otherwise empty. */
  update(row: number): string {
    return this.#names.text(this.#update.get(row));
  }

  /** The connection, in a capture of several; otherwise empty. */
  lane(row: number): string {
    return this.#names.text(this.#lane.get(row));
  }

  /** The id as JSON; empty without one. */
  id(row: number): string {
    return this.#ids.text(this.#id.get(row));
  }

  /** The request of a response, or the response of a request. */
  pair(row: number): number {
    return this.#pair.get(row);
  }

  session(row: number): number {
    return this.#session.get(row);
  }

  turn(row: number): number {
    return this.#turn.get(row);
  }

  /** The tool call that the frame is about. */
  tool(row: number): number {
    return this.#tool.get(row);
  }

  /** The item of the conversation that the frame belongs to. */
  item(row: number): number {
    return this.#item.get(row);
  }

  /** The next frame of the same item. */
  next(row: number): number {
    return this.#next.get(row);
  }

  /** The bytes of the line. */
  size(row: number): number {
    return this.lines.size(row);
  }

  /** The line as it was on the wire. */
  line(row: number): string {
    return this.lines.text(row);
  }

  /** The milliseconds between a request and its response, for both; undefined without a pair. */
  latency(row: number): number | undefined {
    const pair = this.pair(row);
    return pair < 0 ? undefined : Math.abs(this.ms(pair) - this.ms(row));
  }

  setPair(request: number, response: number): void {
    this.#pair.set(request, response);
    this.#pair.set(response, request);
    this.#method.set(response, this.#method.get(request));
  }

  setSession(row: number, session: number): void {
    this.#session.set(row, session);
  }

  setTurn(row: number, turn: number): void {
    this.#turn.set(row, turn);
  }

  setTool(row: number, tool: number): void {
    this.#tool.set(row, tool);
  }

  setItem(row: number, item: number): void {
    this.#item.set(row, item);
  }

  setNext(row: number, next: number): void {
    this.#next.set(row, next);
  }
}
