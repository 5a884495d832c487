import { join } from "node:path";
import { Unmet } from "../../../harness/errors.ts";
import type { SubjectRequest } from "../../../harness/incoming.ts";
import { describeReply, isAnswered } from "../../../harness/reply.ts";
import { type AgentCheck, evidence } from "../../agent-check.ts";
import type { AgentCase } from "../../case.ts";
import { allow, CANCELLED } from "../client/permissions.ts";
import { askingTurn, type HeldTurn, requestingTurn } from "../moments.ts";
import type { Act } from "../provoke/act.ts";
import { Stage, type StageSession } from "../stage.ts";

/** A turn with an open request of the agent, of any kind. */
async function turnWithRequest(stage: Stage): Promise<HeldTurn & { request: SubjectRequest }> {
  try {
    return await askingTurn(stage, await stage.session());
  } catch (error) {
    if (!(error instanceof Unmet)) throw error;
    stage.permission = allow;
    const { request, ...turn } = await requestingTurn(stage, await stage.session());
    if (!request) throw new Unmet("the agent makes no requests");
    return { ...turn, request };
  }
}

const collision: AgentCase = {
  name: "requests/same-ids",
  ids: ["DRA-RPC-02"],
  process: "fresh",
  needs: "model",
  run: async (check) => {
    const stage = await Stage.open(check);
    const turn = await turnWithRequest(stage);
    const { id, n } = turn.request;
    if (typeof id !== "string" && typeof id !== "number") throw new Unmet("its request has no id");
    stage.permission = () => CANCELLED;
    const same = await stage.link.request("_dragoman/same_id", {}, { id });
    await turn.request.answer(
      turn.request.method === "session/request_permission"
        ? CANCELLED
        : { error: { code: -32603, message: "not now" } },
    );
    const end = await stage.endOf(turn);
    check.judge("DRA-RPC-02", isAnswered(same) && isAnswered(end), `both use the id ${id}`, {
      expected: `answers to our request and to the prompt, while the agent's own request ${id} is open`,
      actual: `our request: ${describeReply(same)}; the prompt: ${describeReply(end)}`,
      frames: evidence(stage.link, n, same, end),
    });
  },
};

/** A turn that makes an agent use everything that the client offers. */
function busyActs(session: StageSession): readonly Act[] {
  return [
    { tool: "read", path: join(session.cwd, "known.txt") },
    { tool: "write", path: join(session.cwd, "made.txt"), content: "made\n" },
    { tool: "shell", command: "echo hello" },
  ];
}

async function methodsUsed(stage: Stage): Promise<readonly string[]> {
  const session = await stage.session({ "known.txt": "known\n" });
  for (const act of busyActs(session)) {
    if (!stage.canDo(act)) continue;
    const { end } = await stage.turn(session, { acts: [act] });
    if (!isAnswered(end)) break;
  }
  return [...new Set(stage.link.requests.map(({ method }) => method))];
}

const errors: AgentCase = {
  name: "requests/errors",
  ids: ["DRA-RPC-06", "DRA-EXT-03"],
  process: "fresh",
  needs: "model",
  run: async (check) => {
    const stage = await Stage.open(check);
    const methods = await methodsUsed(stage);
    judgeCustom(check, stage);
    if (methods.length === 0) throw new Unmet("the agent makes no requests");
    for (const method of methods) {
      if (!(await judgeError(check, stage, method))) return;
    }
  },
};

/** EXT-03: the turns went on although the client does not know the custom requests. */
function judgeCustom(check: AgentCheck, { link }: Stage): void {
  const custom = link.requests.filter(({ method }) => method.startsWith("_"));
  if (custom.length === 0) {
    check.untested("DRA-EXT-03", "the agent makes no custom requests");
    return;
  }
  const failed = link.received().filter(({ message }) => message.kind === "error");
  check.judge("DRA-EXT-03", failed.length === 0, `${custom.length} custom requests refused`, {
    expected: "turns that go on, although the client answers a custom request with -32601",
    actual: "a prompt failed",
    frames: evidence(link, ...custom.slice(0, 2).map(({ n }) => n), ...failed.map(({ n }) => n)),
  });
}

/** Returns whether the turn ended. */
async function judgeError(check: AgentCheck, stage: Stage, method: string): Promise<boolean> {
  const session = await stage.session({ "known.txt": "known\n" });
  stage.intercept = (request) =>
    request.method === method ? { error: { code: -32603, message: "it failed" } } : undefined;
  let isEnded = true;
  for (const act of busyActs(session)) {
    if (!stage.canDo(act)) continue;
    const { end, n } = await stage.turn(session, { acts: [act] });
    if (stage.requests(method, n).length === 0) continue;
    isEnded &&= isAnswered(end);
    check.judge("DRA-RPC-06", isAnswered(end), method, {
      expected: `the turn to end after an error as the answer to ${method}`,
      actual: describeReply(end),
      frames: evidence(stage.link, n, ...stage.requests(method, n).map((one) => one.n), end),
    });
    if (!isEnded) break;
  }
  stage.intercept = undefined;
  return isEnded;
}

const unanswered: AgentCase = {
  name: "requests/never-answered",
  ids: ["DRA-ROB-05"],
  process: "fresh",
  needs: "model",
  run: async (check) => {
    const stage = await Stage.open(check);
    const turn = await turnWithRequest(stage);
    const at = stage.cancel(turn.session);
    const end = await stage.endOf(turn);
    check.judge("DRA-ROB-05", isAnswered(end), `${turn.request.method} was never answered`, {
      expected: "a cancel to end the turn, although a request of the agent is never answered",
      actual: describeReply(end),
      frames: evidence(stage.link, turn.request.n, at, end),
    });
  },
};

export const requestCases: readonly AgentCase[] = [collision, errors, unanswered];
