import {
  agentCapabilityFor,
  agentHas,
  clientCapabilityFor,
  clientHas,
  elicitationCapability,
  promptBlockLacks,
} from "../../acp/index.ts";
import { objectsField, stringField } from "../../wire/index.ts";
import { type SessionModel, type TracedFrame, updateOf } from "../../trace/index.ts";
import type { Finding, FindingMaker } from "./finding.ts";

/** Updates that belong to a turn or a replay. Others, such as usage, may come at any time. */
const OF_TURNS =
  /^(?:(?:user|agent)_message(?:_chunk)?|agent_thought(?:_chunk)?|tool_call|tool_call_update|plan)$/;
const OF_REPLAYS = /^user_message(?:_chunk)?$/;

const REQUEST_CANCELLED = -32800;

/** More frames of one kind tell nothing new. */
const MOST_FRAMES = 20;

/** The last event of a session: a load that was answered, or a turn that ended. */
interface Before {
  readonly rule: string;
  readonly message: string;
  readonly rows: readonly number[];
}

/**
 * Rules about the order of frames that need the whole picture: sessions, turns, tool calls and permissions.
 * They have the ids of the requirements that `dragoman check` provokes by its cases.
 */
export class OrderRules {
  readonly #model: SessionModel;
  readonly #maker: FindingMaker;
  readonly #isV2: boolean;
  readonly #report: (finding: Finding) => void;
  readonly #before = new Map<number, Before>();
  /** Requests that a client sent before `initialize`. */
  readonly #early: number[] = [];
  #agentCapabilities: unknown;
  #clientCapabilities: unknown;
  #isInitialized = false;

  constructor(
    model: SessionModel,
    maker: FindingMaker,
    isV2: boolean,
    report: (finding: Finding) => void,
  ) {
    this.#model = model;
    this.#maker = maker;
    this.#isV2 = isV2;
    this.#report = report;
  }

  saw(frame: TracedFrame): void {
    this.#initialize(frame);
    const { kind } = frame.message;
    if (kind === "request") this.#request(frame);
    if (kind === "response" || kind === "error") this.#response(frame);
    const update = updateOf(frame.message);
    const name = update && stringField(update, "sessionUpdate");
    if (name !== undefined && OF_TURNS.test(name)) this.#update(frame, name);
    this.#turnEnd(frame);
  }

  /** Judges what can be judged only at the end. A live or cut session is not over, so these are notes. */
  finish(lane: string): void {
    const { frames, openRequests, terminals, sessions } = this.#model;
    for (const row of openRequests) {
      if (frames.lane(row) !== lane || this.#isV2) continue;
      const rule = frames.direction(row) === "out" ? "DRA-RPC-01" : "DRC-RPC-03";
      this.#add(rule, `${frames.method(row)} was not answered by the end`, [row], true);
    }
    for (const { id, session, created, released } of terminals) {
      if (this.#isV2 || released >= 0 || sessions[session]?.lane !== lane) continue;
      this.#add("DRA-TERM-01", `the terminal ${id} was not released by the end`, [created], true);
    }
  }

  #add(rule: string, message: string, rows: readonly number[], isNote = false): void {
    this.#report(this.#maker.make(rule, message, rows, isNote));
  }

  #initialize({ row, method, direction, message }: TracedFrame): void {
    if (method === "initialize") {
      const { params, result } = message;
      if (message.kind === "request") {
        this.#clientCapabilities = params["clientCapabilities"];
        this.#isInitialized = true;
        const [first] = this.#early;
        if (first !== undefined && !this.#isV2)
          this.#add("DRC-INIT-01", "the client sent something before initialize", [first, row]);
      } else if (message.kind === "response") this.#agentCapabilities = result["agentCapabilities"];
      return;
    }
    // A capture may begin in the middle, so this counts only if initialize follows.
    if (!this.#isInitialized && direction === "out" && this.#early.length === 0)
      this.#early.push(row);
  }

  #request(frame: TracedFrame): void {
    const { row, method, direction, message } = frame;
    if (this.#isV2 || !this.#isInitialized) return;
    if (direction === "in") return this.#agentRequest(row, method, message.params);
    const needed = agentCapabilityFor(method);
    if (needed !== undefined && !agentHas(this.#agentCapabilities, needed))
      this.#add("DRC-SES-02", `${method}, although the agent does not offer ${needed}`, [row]);
    if (method !== "session/prompt") return;
    for (const block of objectsField(message.params, "prompt")) {
      const type = stringField(block, "type") ?? "";
      const lacks = promptBlockLacks({ type }, this.#agentCapabilities);
      if (lacks !== undefined)
        this.#add(
          "DRC-PRM-01",
          `a block of type ${type}, although the agent does not offer ${lacks}`,
          [row],
        );
    }
  }

  #agentRequest(row: number, method: string, params: TracedFrame["message"]["params"]): void {
    const isElicitation = method === "elicitation/create";
    const needed = isElicitation
      ? elicitationCapability(stringField(params, "mode") ?? "form")
      : clientCapabilityFor(method);
    if (needed === undefined || clientHas(this.#clientCapabilities, needed)) return;
    const number = method.startsWith("fs/") ? 1 : isElicitation ? 3 : 2;
    const message = `${method}, although the client does not offer ${needed}`;
    this.#add(`ACP-CLIENTCAP-00${number}`, message, [row]);
  }

  #response(frame: TracedFrame): void {
    const { row, request, method, message } = frame;
    const { frames } = this.#model;
    const session = frames.session(row);
    if (request < 0 || message.kind === "error") return;
    if (method === "session/load" || (method === "session/resume" && this.#isV2))
      this.#before.set(session, {
        rule: this.#isV2 ? "ACP-RESUME-202" : "ACP-LOAD-002",
        message: `the replay went on after ${method} was answered`,
        rows: [request, row],
      });
    if (method === "session/request_permission") this.#permission(row, request);
  }

  #permission(row: number, request: number): void {
    if (this.#isV2) return;
    const permission = this.#model.permissions.findLast((known) => known.request === request);
    if (!permission || permission.response !== row) return;
    const { turn, optionId, flags } = permission;
    if (flags.includes("answer_not_offered"))
      this.#add(
        "DRC-PERM-01",
        `the client chose ${JSON.stringify(optionId)}, which was not offered`,
        [request, row],
      );
    const cancel = this.#model.turns[turn]?.cancel ?? -1;
    if (cancel >= 0 && cancel < row && permission.outcome !== "cancelled")
      this.#add("DRC-PERM-05", "an open permission was not answered as cancelled", [
        request,
        cancel,
        row,
      ]);
  }

  #update({ row }: TracedFrame, name: string): void {
    const { frames } = this.#model;
    const session = frames.session(row);
    const turn = frames.turn(row);
    const before = this.#before.get(session);
    const isReplay = OF_REPLAYS.test(name);
    if (before && (turn < 0 || (isReplay && before.rule === "ACP-LOAD-002"))) {
      if (before.rows.length >= MOST_FRAMES) return;
      const rows = [...before.rows, row];
      this.#before.set(session, { ...before, rows });
      // The list keeps one finding for all frames of a late replay: a later one takes its place.
      return this.#add(before.rule, before.message, rows);
    }
    if (turn >= 0 || !isReplay) return;
    const resume = this.#openResume(session);
    const rule = this.#isV2 ? "ACP-RESUME-203" : "ACP-RESUME-002";
    if (resume >= 0) this.#add(rule, "session/resume replayed the conversation", [resume, row]);
  }

  /** The open `session/resume` of a session that asks for no replay; -1 if there is none. */
  #openResume(session: number): number {
    const { frames, openRequests } = this.#model;
    const row = openRequests.findLast(
      (open) => frames.method(open) === "session/resume" && frames.session(open) === session,
    );
    if (row === undefined) return -1;
    return this.#isV2 && frames.line(row).includes('"replayFrom"') ? -1 : row;
  }

  #turnEnd({ row, method, direction, message }: TracedFrame): void {
    const { frames, turns, toolCalls } = this.#model;
    const session = frames.session(row);
    const turn = turns[frames.turn(row)];
    if (method === "session/prompt" && direction === "out" && message.kind === "request") {
      // The rest of a late replay may still come in the turn, and is recognised by its user messages.
      if (this.#before.get(session)?.rule !== "ACP-LOAD-002") this.#before.delete(session);
      return;
    }
    if (!turn || turn.end !== row) return;
    const isCancelled = turn.cancel >= 0;
    // In v2, a cancel withdraws the prompts that wait, and each is answered with this error.
    const isWithdrawn = this.#isV2 && turn.error?.code === REQUEST_CANCELLED;
    if (isCancelled && turn.stopReason !== "cancelled" && !isWithdrawn) {
      const how = turn.error ? `an error: ${turn.error.message}` : String(turn.stopReason);
      this.#add(
        this.#isV2 ? "ACP-CANCEL-201" : "ACP-CANCEL-001",
        `the turn was cancelled but ended with ${how}`,
        [turn.cancel, row],
      );
    }
    this.#before.delete(session);
    if (this.#isV2) return;
    this.#before.set(session, {
      rule: isCancelled ? "ACP-CANCEL-002" : "DRA-PROMPT-03",
      message: "updates of the turn came after its response",
      rows: [row],
    });
    for (const call of turn.tools.map((number) => toolCalls[number])) {
      if (!call || call.endMs !== undefined) continue;
      const last = call.frames.at(-1) ?? turn.prompt;
      this.#add(
        "DRA-TOOL-05",
        `the tool call ${call.id} was ${call.status} at the end of the turn`,
        [last, row],
      );
    }
  }
}
