import {
  agentCapabilityFor,
  agentHas,
  clientCapabilityFor,
  clientHas,
  elicitationCapability,
  promptBlockLacks,
} from "../../protocol/acp/index.ts";
import { paramsOf, type SessionModel, updateOf } from "../../trace/index.ts";
import { objectsField, stringField } from "../../base/index.ts";
import type { JudgedFrame } from "./connection.ts";
import { type Judge, type Rule, rule, type RuleContext } from "./rule.ts";

/*
 * Rules about the order of frames, which need the whole session: its turns, tool calls and permissions.
 */

/** Updates that belong to a turn or a replay. Others, such as usage, may come at any time. */
const OF_TURNS =
  /^(?:(?:user|agent)_message(?:_chunk)?|agent_thought(?:_chunk)?|tool_call|tool_call_update|plan)$/;
const OF_REPLAYS = /^user_message(?:_chunk)?$/;

const REQUEST_CANCELLED = -32800;

/** More frames of one kind tell nothing new. */
const MAX_LATE_FRAMES = 20;

const initializeFirst = rule("client", ["DRC-INIT-01"], () => {
  let isInitialized = false;
  // A capture may begin in the middle, so this counts only if initialize follows.
  let early: number | undefined;
  return ({ from, method, message, n }, judge) => {
    if (isInitialized) return;
    if (method !== "initialize") {
      if (from === "client") early ??= n;
      return;
    }
    if (message.kind !== "request") return;
    isInitialized = true;
    const isLate = early !== undefined;
    judge("DRC-INIT-01", isLate && "another message before initialize", [early ?? n, n]);
  };
});

const clientRequests = rule(
  "client",
  ["DRC-SES-02", "DRC-PRM-01"],
  ({ connection }) =>
    ({ from, message }, judge) => {
      if (from !== "client" || message.kind !== "request" || !connection.offer) return;
      const { method } = message;
      const offered = connection.initialized?.["agentCapabilities"];
      const needed = agentCapabilityFor(method);
      if (needed !== undefined)
        judge("DRC-SES-02", !agentHas(offered, needed) && notOffered(method, needed));
      if (method !== "session/prompt") return;
      for (const block of objectsField(paramsOf(message), "prompt")) {
        const type = stringField(block, "type") ?? "";
        const lacks = promptBlockLacks({ type }, offered);
        judge("DRC-PRM-01", lacks && notOffered(`a block of type ${type}`, lacks));
      }
    },
);

function notOffered(what: string, capability: string): string {
  return `${what}, although the other side does not offer ${capability}`;
}

const agentRequests = rule(
  "agent",
  ["ACP-CLIENTCAP-001", "ACP-CLIENTCAP-002", "ACP-CLIENTCAP-003"],
  ({ connection }) =>
    ({ from, message }, judge) => {
      if (from !== "agent" || message.kind !== "request" || !connection.offer) return;
      const { method } = message;
      const isElicitation = method === "elicitation/create";
      const needed = isElicitation
        ? elicitationCapability(stringField(paramsOf(message), "mode") ?? "form")
        : clientCapabilityFor(method);
      if (needed === undefined) return;
      const number = method.startsWith("fs/") ? 1 : isElicitation ? 3 : 2;
      const isOffered = clientHas(connection.clientCapabilities, needed);
      judge(`ACP-CLIENTCAP-00${number}`, !isOffered && notOffered(method, needed));
    },
);

const permissionAnswers = rule(
  "client",
  ["DRC-PERM-01", "DRC-PERM-05"],
  ({ model }) =>
    ({ row, n, method, request, message }, judge) => {
      if (method !== "session/request_permission" || message.kind !== "result") return;
      const permission = model.permissions.findLast((known) => known.request === request);
      if (!permission || permission.response !== row) return;
      const { turn, optionId, outcome, flags } = permission;
      const isForeign = flags.includes("answer_not_offered");
      const foreign = `the option ${JSON.stringify(optionId)}, which was not offered`;
      if (isForeign || outcome === "selected")
        judge("DRC-PERM-01", isForeign && foreign, [request + 1, n]);
      const cancel = model.turns[turn]?.cancel ?? -1;
      if (cancel < 0 || cancel > row) return;
      const wrong = `the outcome ${outcome}, although the turn was cancelled before`;
      judge("DRC-PERM-05", outcome !== "cancelled" && wrong, [request + 1, cancel + 1, n]);
    },
);

/** The last event of a session: a load that was answered, or a turn that ended. */
interface Before {
  readonly id: string;
  readonly actual: string;
  readonly frames: readonly number[];
}

/** Updates after the response that ends a turn or a replay. */
function lateUpdates(isV2: boolean): Rule {
  const replayId = isV2 ? "ACP-RESUME-202" : "ACP-LOAD-002";
  const ids = isV2 ? [replayId] : [replayId, "ACP-CANCEL-002", "DRA-PROMPT-03"];
  return rule("agent", ids, ({ model }) => {
    const sessions = new Map<number, Before>();
    const begin = (session: number, before: Before, judge: Judge): void => {
      judge(before.id, undefined);
      sessions.set(session, before);
    };
    return (frame, judge) => {
      const { row, n, method, request, message } = frame;
      const session = model.frames.session(row);
      const before = sessions.get(session);
      const replays = method === "session/load" || (method === "session/resume" && isV2);
      if (replays && message.kind === "result") {
        const actual = `the replay went on after ${method} was answered`;
        return begin(session, { id: replayId, actual, frames: [request + 1, n] }, judge);
      }
      const update = turnUpdate(frame);
      if (update !== undefined && before) {
        const isLate =
          model.frames.turn(row) < 0 || (OF_REPLAYS.test(update) && before.id === "ACP-LOAD-002");
        if (!isLate || before.frames.length >= MAX_LATE_FRAMES) return;
        const late = { ...before, frames: [...before.frames, n] };
        sessions.set(session, late);
        return judge(late.id, late.actual, late.frames);
      }
      if (message.kind === "request" && /^session\/(?:load|resume)$/.test(method)) {
        sessions.delete(session);
        return;
      }
      if (method === "session/prompt" && message.kind === "request") {
        // The rest of a late replay may still come in the turn; its user messages give it away.
        if (before?.id !== "ACP-LOAD-002") sessions.delete(session);
        return;
      }
      const turn = model.turns[model.frames.turn(row)];
      if (turn?.end !== row) return;
      sessions.delete(session);
      if (isV2) return;
      const id = turn.cancel >= 0 ? "ACP-CANCEL-002" : "DRA-PROMPT-03";
      const actual = "updates of the turn came after its response";
      begin(session, { id, actual, frames: [n] }, judge);
    };
  });
}

/** A `session/resume` that asks for no replay. */
function resumes(isV2: boolean): Rule {
  const id = isV2 ? "ACP-RESUME-203" : "ACP-RESUME-002";
  const asksForReplay = (model: SessionModel, row: number): boolean =>
    isV2 && model.frames.line(row).includes('"replayFrom"');
  return rule("agent", [id], ({ model }) => (frame, judge) => {
    const { row, n, method, request, message } = frame;
    if (method === "session/resume" && message.kind === "result" && request >= 0) {
      if (!asksForReplay(model, request)) judge(id, undefined);
      return;
    }
    const update = turnUpdate(frame);
    if (update === undefined || !OF_REPLAYS.test(update) || model.frames.turn(row) >= 0) return;
    const session = model.frames.session(row);
    const resume = model.openRequests.findLast(
      (open) =>
        model.frames.method(open) === "session/resume" && model.frames.session(open) === session,
    );
    if (resume === undefined || asksForReplay(model, resume)) return;
    judge(id, "session/resume replayed the conversation", [resume + 1, n]);
  });
}

/** The kind of an update that belongs to a turn or a replay. */
function turnUpdate({ message }: JudgedFrame): string | undefined {
  const update = updateOf(message);
  const kind = update && stringField(update, "sessionUpdate");
  return kind !== undefined && OF_TURNS.test(kind) ? kind : undefined;
}

/** How turns end. */
function turnEnds(isV2: boolean): Rule {
  const cancelId = isV2 ? "ACP-CANCEL-201" : "ACP-CANCEL-001";
  const ids = isV2 ? [cancelId] : [cancelId, "DRA-TOOL-05"];
  return rule("agent", ids, ({ model }) => ({ row, n }, judge) => {
    const turn = model.turns[model.frames.turn(row)];
    if (turn?.end !== row) return;
    const { cancel, error, stopReason } = turn;
    // In v2, a cancel withdraws queued prompts, and each is answered with this error.
    if (cancel >= 0 && !(isV2 && error?.code === REQUEST_CANCELLED)) {
      const how = error ? `an error: ${error.message}` : String(stopReason);
      const problem = `the cancelled turn ended with ${how}`;
      judge(cancelId, stopReason !== "cancelled" && problem, [cancel + 1, n]);
    }
    if (isV2) return;
    for (const call of turn.tools.map((number) => model.toolCalls[number])) {
      if (!call) continue;
      const problem = `the tool call ${call.id} was ${call.status} at the end of the turn`;
      const frames = [(call.frames.at(-1) ?? turn.prompt) + 1, n];
      judge("DRA-TOOL-05", call.endMs === undefined && problem, frames);
    }
  });
}

/** A live or cut session is not over, so what is still open at its end is only a warning. */
function openAtEnd(
  side: "agent" | "client",
  ids: readonly string[],
  finish: (context: RuleContext, missing: (id: string, what: string, row: number) => void) => void,
): Rule {
  return {
    ids,
    side,
    watch: () => () => {},
    finish: (context, judge) =>
      finish(context, (id, what, row) => judge(id, `no ${what} by the end`, [row + 1], "WARN")),
  };
}

/** The open requests of a connection in one direction. */
function openRequests({ model, lane }: RuleContext, direction: "in" | "out"): readonly number[] {
  const { frames } = model;
  return model.openRequests.filter(
    (row) => frames.lane(row) === lane && frames.direction(row) === direction,
  );
}

const unanswered: readonly Rule[] = [
  openAtEnd("agent", ["DRA-RPC-01", "DRA-TERM-01"], (context, missing) => {
    const { model, lane } = context;
    for (const row of openRequests(context, "out"))
      missing("DRA-RPC-01", `response to ${model.frames.method(row)}`, row);
    for (const { id, session, created, released } of model.terminals) {
      if (released < 0 && model.sessions[session]?.lane === lane)
        missing("DRA-TERM-01", `release of the terminal ${id}`, created);
    }
  }),
  openAtEnd("client", ["DRC-RPC-03"], (context, missing) => {
    for (const row of openRequests(context, "in"))
      missing("DRC-RPC-03", `response to ${context.model.frames.method(row)}`, row);
  }),
];

export const ORDER_RULES: readonly Rule[] = [
  initializeFirst,
  clientRequests,
  agentRequests,
  permissionAnswers,
  lateUpdates(false),
  resumes(false),
  turnEnds(false),
  ...unanswered,
];

export const V2_ORDER_RULES: readonly Rule[] = [lateUpdates(true), resumes(true), turnEnds(true)];
