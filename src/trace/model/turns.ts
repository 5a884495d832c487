import { numberField, objectField, stringField, type JsonObject } from "../../base/index.ts";
import type { FrameTable } from "./frame-table.ts";
import { errorOf, paramsOf, resultOf, updateOf, wireIdKey } from "../message.ts";
import type {
  Mutable,
  TracedFrame,
  TracedSession,
  TracedTurn,
  TracedTokens,
  TracedLane,
} from "./traced.ts";

interface OpenTurn extends Mutable<TracedTurn> {
  readonly tools: number[];
  readonly permissions: number[];
  readonly personRequests: number[];
  readonly clientRequests: number[];
  /** In v2, whether the prompt was answered, so that the next idle state ends the turn. */
  isInserted: boolean;
  lastFrame: number;
}

interface OpenSession extends Mutable<TracedSession> {
  readonly turns: number[];
  readonly open: OpenTurn[];
  /** How many requests of the session wait for a person. */
  waiting: number;
}

const PERSON = /^(?:session\/request_permission|elicitation\/create)$/;
const CLIENT = /^(?:fs|terminal)\//;

export class TurnTracker {
  readonly sessions: TracedSession[] = [];
  readonly turns: OpenTurn[] = [];
  readonly #frames: FrameTable;
  readonly #byId = new Map<string, OpenSession>();
  readonly #all: OpenSession[] = [];
  readonly #byPrompt = new Map<number, OpenTurn>();

  constructor(frames: FrameTable) {
    this.#frames = frames;
  }

  /** Finds the session and the turn of a frame, and opens or ends them. */
  take(frame: TracedFrame, isV2: boolean): void {
    const session = this.#sessionOf(frame);
    if (!session) return;
    const { row, method, message } = frame;
    session.lastFrame = row;
    this.#frames.set("session", row, session.number);
    if (this.#frames.update(row) === "session_info_update") session.info = row;
    const isPrompt = method === "session/prompt" && frame.direction === "out";
    if (isPrompt && message.kind === "request") this.#start(session, frame);
    const turn = this.#byPrompt.get(frame.request) ?? this.#byPrompt.get(row) ?? session.open[0];
    if (!turn) return;
    this.#count(turn, session, frame);
    this.#follow(turn, session, frame, isV2);
  }

  /** The turn of a row, for those who add to it. */
  turnOf(row: number): OpenTurn | undefined {
    return this.turns[this.#frames.turn(row)];
  }

  /** Whether the client canceled the turn that a row belongs to. */
  isCancelled(row: number): boolean {
    return (this.turnOf(row)?.cancel ?? -1) >= 0;
  }

  #sessionOf(frame: TracedFrame): OpenSession | undefined {
    const { request, message, lane } = frame;
    const ofRequest = request < 0 ? -1 : this.#frames.session(request);
    if (ofRequest >= 0) return this.#all[ofRequest];
    const named = stringField(paramsOf(message), "sessionId");
    if (named !== undefined) return this.#session(lane, named, frame.row);
    // The response of session/new or session/fork names a new session.
    const created = stringField(resultOf(message), "sessionId");
    if (created === undefined || request < 0) return undefined;
    const session = this.#session(lane, created, request);
    session.opened = request;
    this.#frames.set("session", request, session.number);
    return session;
  }

  #session(lane: string, id: string, row: number): OpenSession {
    const key = `${lane}\n${id}`;
    const known = this.#byId.get(key);
    if (known) return known;
    const session: OpenSession = {
      number: this.sessions.length,
      lane,
      id,
      opened: this.#frames.kind(row) === "request" ? row : -1,
      info: -1,
      firstFrame: row,
      lastFrame: row,
      turns: [],
      open: [],
      waiting: 0,
    };
    this.#byId.set(key, session);
    this.#all.push(session);
    this.sessions.push(session);
    return session;
  }

  #start(session: OpenSession, { row, ms }: TracedFrame): void {
    const turn: OpenTurn = {
      number: this.turns.length,
      session: session.number,
      prompt: row,
      end: -1,
      startMs: ms,
      endMs: undefined,
      stopReason: undefined,
      error: undefined,
      cancel: -1,
      firstUpdate: -1,
      silence: { ms: 0, after: row },
      frames: 0,
      tools: [],
      permissions: [],
      personRequests: [],
      clientRequests: [],
      tokens: undefined,
      isInserted: false,
      lastFrame: row,
    };
    this.turns.push(turn);
    this.#byPrompt.set(row, turn);
    session.turns.push(turn.number);
    session.open.push(turn);
  }

  #count(
    turn: OpenTurn,
    session: OpenSession,
    { row, ms, message, method, request }: TracedFrame,
  ): void {
    this.#frames.set("turn", row, turn.number);
    turn.frames++;
    const silence = ms - this.#frames.ms(turn.lastFrame);
    if (session.waiting === 0 && silence > turn.silence.ms)
      turn.silence = { ms: silence, after: turn.lastFrame };
    turn.lastFrame = row;
    const isPerson = PERSON.test(method);
    if (message.kind === "request") {
      if (isPerson) {
        turn.personRequests.push(row);
        session.waiting++;
      } else if (CLIENT.test(method)) turn.clientRequests.push(row);
    } else if (isPerson && request >= 0) session.waiting = Math.max(0, session.waiting - 1);
  }

  #follow(turn: OpenTurn, session: OpenSession, frame: TracedFrame, isV2: boolean): void {
    const { row, method, message } = frame;
    if (method === "session/cancel" && message.kind === "notification") {
      for (const open of session.open) if (open.cancel < 0) open.cancel = row;
      return;
    }
    const update = updateOf(message);
    if (update) {
      if (turn.firstUpdate < 0) turn.firstUpdate = row;
      const isIdle = update["sessionUpdate"] === "state_update" && update["state"] === "idle";
      if (isIdle)
        for (const open of session.open.filter(({ isInserted }) => isInserted))
          this.#end(session, open, frame, update);
      return;
    }
    if (frame.request !== turn.prompt || frame.request < 0) return;
    if (message.kind === "error") {
      return this.#end(session, turn, frame, { error: errorOf(message) });
    }
    const result = resultOf(message);
    if (isV2 && stringField(result, "stopReason") === undefined) turn.isInserted = true;
    else this.#end(session, turn, frame, result);
  }

  #end(session: OpenSession, turn: OpenTurn, { row, ms }: TracedFrame, result: JsonObject): void {
    turn.end = row;
    turn.endMs = ms;
    turn.stopReason = stringField(result, "stopReason");
    turn.error = turnError(objectField(result, "error"));
    turn.tokens = tokensOf(objectField(result, "usage"));
    const at = session.open.indexOf(turn);
    if (at >= 0) session.open.splice(at, 1);
    this.#byPrompt.delete(turn.prompt);
  }
}

function turnError(error: JsonObject | undefined): TracedTurn["error"] {
  if (!error) return undefined;
  return { code: numberField(error, "code"), message: stringField(error, "message") ?? "" };
}

function tokensOf(usage: JsonObject | undefined): TracedTokens | undefined {
  if (!usage) return undefined;
  return {
    total: numberField(usage, "totalTokens"),
    input: numberField(usage, "inputTokens"),
    output: numberField(usage, "outputTokens"),
    thought: numberField(usage, "thoughtTokens"),
    cachedRead: numberField(usage, "cachedReadTokens"),
    cachedWrite: numberField(usage, "cachedWriteTokens"),
  };
}

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
      lane[frame.direction].set(wireIdKey(message.id), row);
      if (message.method === "initialize") lane.lane.initialize = row;
      return -1;
    }
    if (message.kind !== "result" && message.kind !== "error") return -1;
    const open = lane[frame.direction === "in" ? "out" : "in"];
    const key = wireIdKey(message.id);
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
