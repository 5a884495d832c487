import { stringField, type JsonObject } from "../../base/index.ts";
import type { FrameTable } from "./frame-table.ts";
import { updateOf } from "../message.ts";
import type { OpenToolCall } from "./tool-calls.ts";
import type { ItemKind, Mutable, TracedFrame, TracedItem, TracedPermission } from "./traced.ts";

/** The chunks and whole messages that make up messages. */
const MESSAGES: ReadonlyMap<unknown, ItemKind> = new Map([
  ["user_message_chunk", "user"],
  ["agent_message_chunk", "agent"],
  ["agent_thought_chunk", "thought"],
  ["user_message", "user"],
  ["agent_message", "agent"],
  ["agent_thought", "thought"],
]);

/** Updates that are items of their own. A plan is one item per turn, which changes. */
const OTHERS: ReadonlyMap<unknown, ItemKind> = new Map([
  ["plan", "plan"],
  ["plan_update", "plan"],
  ["notice", "notice"],
  ["current_mode_update", "mode"],
]);

/** The open parts of the conversation of one session. */
interface Open {
  /** The message that chunks without an id belong to. */
  run: Mutable<TracedItem> | undefined;
  /** Messages with an id, by kind and id. */
  readonly messages: Map<string, Mutable<TracedItem>>;
  plan: Mutable<TracedItem> | undefined;
  /** Prompts whose echo has not arrived. Agents of v2 repeat them as user messages. */
  readonly prompts: Mutable<TracedItem>[];
}

/** The parts of a frame that the conversation shows besides its text. */
export interface ShownParts {
  readonly call: OpenToolCall | undefined;
  readonly permission: TracedPermission | undefined;
  /** The turn that the frame ended; -1 if it ended none. */
  readonly ended: number;
}

/** The conversation as people read it. Chunks are joined by `messageId`, and without one by run. */
export class ConversationTracker {
  readonly items: TracedItem[] = [];
  readonly #frames: FrameTable;
  readonly #open = new Map<number, Open>();

  constructor(frames: FrameTable) {
    this.#frames = frames;
  }

  take(frame: TracedFrame, parts: ShownParts, isV2: boolean): void {
    const session = this.#frames.session(frame.row);
    if (session < 0) return;
    const open = this.#openOf(session);
    const update = updateOf(frame.message);
    if (update) this.#update(frame, open, update, isV2);
    else if (frame.method === "session/prompt" && frame.message.kind === "request") {
      open.run = undefined;
      open.plan = undefined;
      open.prompts.push(this.#add("prompt", frame.row, this.#frames.turn(frame.row)));
    }
    const { call, permission, ended } = parts;
    if (call) {
      open.run = undefined;
      if (call.frames[0] === frame.row && !permission) this.#add("tool", frame.row, call.number);
    }
    if (permission) this.#add("permission", frame.row, permission.number);
    if (ended >= 0) {
      open.run = undefined;
      open.prompts.length = 0;
      this.#add("end", frame.row, ended);
    }
  }

  #update(frame: TracedFrame, open: Open, update: JsonObject, isV2: boolean): void {
    const kind = MESSAGES.get(update["sessionUpdate"]);
    if (kind) return this.#message(frame.row, kind, open, update, isV2);
    const other = OTHERS.get(update["sessionUpdate"]);
    if (!other) return;
    if (other === "plan" && open.plan && open.plan.turn === this.#frames.turn(frame.row))
      return this.#append(open.plan, frame.row);
    const item = this.#add(other, frame.row, -1);
    if (other === "plan") open.plan = item;
  }

  #message(row: number, kind: ItemKind, open: Open, update: JsonObject, isV2: boolean): void {
    const id = stringField(update, "messageId");
    if (id === undefined) {
      if (open.run?.kind === kind) this.#append(open.run, row);
      else open.run = this.#add(kind, row, -1);
      return;
    }
    open.run = undefined;
    const key = `${kind}\n${id}`;
    const known =
      open.messages.get(key) ?? (isV2 && kind === "user" ? open.prompts.shift() : undefined);
    if (known) this.#append(known, row);
    open.messages.set(key, known ?? this.#add(kind, row, -1));
  }

  #add(kind: ItemKind, row: number, shows: number): Mutable<TracedItem> {
    const item: Mutable<TracedItem> = {
      number: this.items.length,
      kind,
      session: this.#frames.session(row),
      turn: this.#frames.turn(row),
      first: row,
      last: row,
      count: 1,
      shows,
    };
    this.items.push(item);
    // A frame that both asks for permission and announces a call belongs to the later item.
    this.#frames.set("item", row, item.number);
    return item;
  }

  #append(item: Mutable<TracedItem>, row: number): void {
    this.#frames.set("next", item.last, row);
    this.#frames.set("item", row, item.number);
    item.last = row;
    item.count++;
  }

  #openOf(session: number): Open {
    const known = this.#open.get(session);
    if (known) return known;
    const open: Open = { run: undefined, messages: new Map(), plan: undefined, prompts: [] };
    this.#open.set(session, open);
    return open;
  }
}
