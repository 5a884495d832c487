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
import type { Rule, RuleContext, RuleReport } from "./rule.ts";

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

const initializeFirst: Rule = {
  ids: ["DRC-INIT-01"],
  side: "client",
  watch: () => {
    let isInitialized = false;
    // A capture may begin in the middle, so this counts only if initialize follows.
    let early: number | undefined;
    return ({ from, method, message, n }, report) => {
      if (isInitialized) return;
      if (method !== "initialize") {
        if (from === "client") early ??= n;
        return;
      }
      if (message.kind !== "request") return;
      isInitialized = true;
      if (early === undefined) report.kept("DRC-INIT-01");
      else {
        report.broken("DRC-INIT-01", {
          expected: "initialize first",
          actual: "another message before initialize",
          frames: [early, n],
        });
      }
    };
  },
};

const clientRequests: Rule = {
  ids: ["DRC-SES-02", "DRC-PRM-01"],
  side: "client",
  watch:
    ({ connection }) =>
    ({ from, message }, report) => {
      if (from !== "client" || message.kind !== "request" || !connection.offer) return;
      const { method } = message;
      const offered = connection.initialized?.["agentCapabilities"];
      const needed = agentCapabilityFor(method);
      if (needed !== undefined) {
        if (agentHas(offered, needed)) report.kept("DRC-SES-02");
        else {
          report.broken("DRC-SES-02", {
            expected: "only methods that the agent offers",
            actual: `${method}, although it does not offer ${needed}`,
          });
        }
      }
      if (method !== "session/prompt") return;
      for (const block of objectsField(paramsOf(message), "prompt")) {
        const type = stringField(block, "type") ?? "";
        const lacks = promptBlockLacks({ type }, offered);
        if (lacks === undefined) report.kept("DRC-PRM-01");
        else {
          report.broken("DRC-PRM-01", {
            expected: "only content that the agent offers to take",
            actual: `a block of type ${type}, although it does not offer ${lacks}`,
          });
        }
      }
    },
};

const agentRequests: Rule = {
  ids: ["ACP-CLIENTCAP-001", "ACP-CLIENTCAP-002", "ACP-CLIENTCAP-003"],
  side: "agent",
  watch:
    ({ connection }) =>
    ({ from, message }, report) => {
      if (from !== "agent" || message.kind !== "request" || !connection.offer) return;
      const { method } = message;
      const isElicitation = method === "elicitation/create";
      const needed = isElicitation
        ? elicitationCapability(stringField(paramsOf(message), "mode") ?? "form")
        : clientCapabilityFor(method);
      if (needed === undefined) return;
      const number = method.startsWith("fs/") ? 1 : isElicitation ? 3 : 2;
      const id = `ACP-CLIENTCAP-00${number}`;
      if (clientHas(connection.clientCapabilities, needed)) report.kept(id);
      else {
        report.broken(id, {
          expected: "only methods that the client offers",
          actual: `${method}, although it does not offer ${needed}`,
        });
      }
    },
};

const permissionAnswers: Rule = {
  ids: ["DRC-PERM-01", "DRC-PERM-05"],
  side: "client",
  watch:
    ({ model }) =>
    ({ row, n, method, request, message }, report) => {
      if (method !== "session/request_permission" || message.kind !== "result") return;
      const permission = model.permissions.findLast((known) => known.request === request);
      if (!permission || permission.response !== row) return;
      const { turn, optionId, outcome, flags } = permission;
      if (flags.includes("answer_not_offered")) {
        report.broken("DRC-PERM-01", {
          expected: "an option that the agent offered",
          actual: `the option ${JSON.stringify(optionId)}`,
          frames: [request + 1, n],
        });
      } else if (outcome === "selected") report.kept("DRC-PERM-01");
      const cancel = model.turns[turn]?.cancel ?? -1;
      if (cancel < 0 || cancel > row) return;
      if (outcome === "cancelled") report.kept("DRC-PERM-05");
      else {
        report.broken("DRC-PERM-05", {
          expected: "cancelled, because the turn was cancelled before the answer",
          actual: `the outcome ${outcome}`,
          frames: [request + 1, cancel + 1, n],
        });
      }
    },
};

/** The last event of a session: a load that was answered, or a turn that ended. */
interface Before {
  readonly id: string;
  readonly actual: string;
  readonly frames: readonly number[];
}

/** Updates after the response that ends a turn or a replay. */
function lateUpdates(isV2: boolean): Rule {
  const replayId = isV2 ? "ACP-RESUME-202" : "ACP-LOAD-002";
  return {
    ids: isV2 ? [replayId] : [replayId, "ACP-CANCEL-002", "DRA-PROMPT-03"],
    side: "agent",
    watch: ({ model }) => {
      const sessions = new Map<number, Before>();
      const begin = (session: number, before: Before, report: RuleReport): void => {
        report.kept(before.id);
        sessions.set(session, before);
      };
      return (frame, report) => {
        const { row, n, method, request, message } = frame;
        const session = model.frames.session(row);
        const before = sessions.get(session);
        const replays = method === "session/load" || (method === "session/resume" && isV2);
        if (replays && message.kind === "result") {
          const actual = `the replay went on after ${method} was answered`;
          return begin(session, { id: replayId, actual, frames: [request + 1, n] }, report);
        }
        const update = turnUpdate(frame);
        if (update !== undefined && before) {
          const isLate =
            model.frames.turn(row) < 0 || (OF_REPLAYS.test(update) && before.id === "ACP-LOAD-002");
          if (!isLate || before.frames.length >= MAX_LATE_FRAMES) return;
          const late = { ...before, frames: [...before.frames, n] };
          sessions.set(session, late);
          return report.broken(late.id, {
            expected: "no update after the response",
            actual: late.actual,
            frames: late.frames,
          });
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
        begin(session, { id, actual, frames: [n] }, report);
      };
    },
  };
}

/** A `session/resume` that asks for no replay. */
function resumes(isV2: boolean): Rule {
  const id = isV2 ? "ACP-RESUME-203" : "ACP-RESUME-002";
  const asksForReplay = (model: SessionModel, row: number): boolean =>
    isV2 && model.frames.line(row).includes('"replayFrom"');
  return {
    ids: [id],
    side: "agent",
    watch:
      ({ model }) =>
      (frame, report) => {
        const { row, n, method, request, message } = frame;
        if (method === "session/resume" && message.kind === "result" && request >= 0) {
          if (!asksForReplay(model, request)) report.kept(id);
          return;
        }
        const update = turnUpdate(frame);
        if (update === undefined || !OF_REPLAYS.test(update) || model.frames.turn(row) >= 0) return;
        const session = model.frames.session(row);
        const resume = model.openRequests.findLast(
          (open) =>
            model.frames.method(open) === "session/resume" &&
            model.frames.session(open) === session,
        );
        if (resume === undefined || asksForReplay(model, resume)) return;
        report.broken(id, {
          expected: "no replay",
          actual: "session/resume replayed the conversation",
          frames: [resume + 1, n],
        });
      },
  };
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
  return {
    ids: isV2 ? [cancelId] : [cancelId, "DRA-TOOL-05"],
    side: "agent",
    watch:
      ({ model }) =>
      ({ row, n }, report) => {
        const turn = model.turns[model.frames.turn(row)];
        if (turn?.end !== row) return;
        if (turn.cancel >= 0) {
          // In v2, a cancel withdraws queued prompts, and each is answered with this error.
          const isWithdrawn = isV2 && turn.error?.code === REQUEST_CANCELLED;
          if (turn.stopReason === "cancelled") report.kept(cancelId);
          else if (!isWithdrawn) {
            report.broken(cancelId, {
              expected: "cancelled",
              actual: turn.error
                ? `the cancelled turn ended with an error: ${turn.error.message}`
                : `the cancelled turn ended with ${String(turn.stopReason)}`,
              frames: [turn.cancel + 1, n],
            });
          }
        }
        if (isV2) return;
        for (const call of turn.tools.map((number) => model.toolCalls[number])) {
          if (!call) continue;
          if (call.endMs !== undefined) report.kept("DRA-TOOL-05");
          else {
            report.broken("DRA-TOOL-05", {
              expected: "completed or failed",
              actual: `the tool call ${call.id} was ${call.status} at the end of the turn`,
              frames: [(call.frames.at(-1) ?? turn.prompt) + 1, n],
            });
          }
        }
      },
  };
}

/** A live or cut session is not over, so what is still open at its end is only a warning. */
function openAtEnd(
  side: "agent" | "client",
  ids: readonly string[],
  finish: (context: RuleContext, report: (id: string, what: string, row: number) => void) => void,
): Rule {
  return {
    ids,
    side,
    watch: () => () => {},
    finish: (context, report) =>
      finish(context, (id, what, row) =>
        report.broken(id, {
          expected: "it by the end",
          actual: `no ${what}`,
          frames: [row + 1],
          level: "WARN",
        }),
      ),
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
  openAtEnd("agent", ["DRA-RPC-01", "DRA-TERM-01"], (context, report) => {
    const { model, lane } = context;
    for (const row of openRequests(context, "out"))
      report("DRA-RPC-01", `response to ${model.frames.method(row)}`, row);
    for (const { id, session, created, released } of model.terminals) {
      if (released < 0 && model.sessions[session]?.lane === lane)
        report("DRA-TERM-01", `release of the terminal ${id}`, created);
    }
  }),
  openAtEnd("client", ["DRC-RPC-03"], (context, report) => {
    for (const row of openRequests(context, "in"))
      report("DRC-RPC-03", `response to ${context.model.frames.method(row)}`, row);
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
