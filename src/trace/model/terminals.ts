import { numberField, objectField, stringField, type JsonObject } from "../../base/index.ts";
import type { FrameTable } from "./frame-table.ts";
import { paramsOf, readWireMessage, resultOf, updateOf } from "../message.ts";
import type { Mutable, TracedFrame, TracedTerminal } from "./traced.ts";

interface OpenTerminal extends Mutable<TracedTerminal> {
  readonly outputs: number[];
}

export class TerminalTracker {
  readonly list: TracedTerminal[] = [];
  readonly #frames: FrameTable;
  readonly #byId = new Map<string, OpenTerminal>();

  constructor(frames: FrameTable) {
    this.#frames = frames;
  }

  take(frame: TracedFrame): void {
    const update = updateOf(frame.message);
    if (update) return this.#update(frame, update);
    if (!frame.method.startsWith("terminal/")) return;
    const { message } = frame;
    if (message.kind === "request") {
      if (frame.method !== "terminal/release") return;
      const terminal = this.#known(frame.row, stringField(paramsOf(message), "terminalId"));
      if (terminal) terminal.released = frame.row;
      return;
    }
    if (message.kind !== "result" || frame.request < 0) return;
    const result = resultOf(message);
    if (frame.method === "terminal/create") {
      const id = stringField(result, "terminalId");
      if (id !== undefined) this.#create(id, frame.request);
      return;
    }
    this.#answer(frame, result);
  }

  /** The response of `terminal/output` or `terminal/wait_for_exit`. Its request names the terminal. */
  #answer(frame: TracedFrame, result: JsonObject): void {
    const isOutput = frame.method === "terminal/output";
    if (!isOutput && frame.method !== "terminal/wait_for_exit") return;
    const params = paramsOf(readWireMessage(this.#frames.line(frame.request)));
    const terminal = this.#known(frame.row, stringField(params, "terminalId"));
    if (!terminal) return;
    if (isOutput) terminal.outputs.push(frame.row);
    const exit = isOutput ? objectField(result, "exitStatus") : result;
    if (exit) this.#end(terminal, exit, frame.ms);
  }

  #update(frame: TracedFrame, update: JsonObject): void {
    const kind = update["sessionUpdate"];
    if (kind !== "terminal_update" && kind !== "terminal_output_chunk") return;
    const id = stringField(update, "terminalId");
    if (id === undefined) return;
    const terminal = this.#known(frame.row, id) ?? this.#create(id, frame.row);
    terminal.outputs.push(frame.row);
    const exit = objectField(update, "exitStatus");
    if (exit) this.#end(terminal, exit, frame.ms);
  }

  #end(terminal: OpenTerminal, exit: JsonObject, ms: number): void {
    terminal.exit = { code: numberField(exit, "exitCode"), signal: stringField(exit, "signal") };
    terminal.endMs ??= ms;
  }

  #known(row: number, id: string | undefined): OpenTerminal | undefined {
    return id === undefined ? undefined : this.#byId.get(this.#key(row, id));
  }

  #create(id: string, row: number): OpenTerminal {
    const terminal: OpenTerminal = {
      number: this.list.length,
      session: this.#frames.session(row),
      turn: this.#frames.turn(row),
      id,
      created: row,
      outputs: [],
      exit: undefined,
      released: -1,
      startMs: this.#frames.ms(row),
      endMs: undefined,
    };
    this.list.push(terminal);
    this.#byId.set(this.#key(row, id), terminal);
    return terminal;
  }

  #key(row: number, id: string): string {
    return `${this.#frames.session(row)}\n${id}`;
  }
}
