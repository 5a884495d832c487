import { counted, deferred } from "../../../../base/index.ts";
import { Unmet } from "../../harness/errors.ts";
import type { CallReply } from "../../harness/reply.ts";
import {
  ClientGoneError,
  ClientSilentError,
  type AgentFrame,
  type AgentQuestion,
  type CheckingAgent,
  paramsOf,
} from "../agent.ts";
import type { ClientCase, ClientCheck, Played, ScenarioOptions } from "../case.ts";
import { describeEnd, describePlayed, promptProblem } from "../play-turn.ts";
import { beginPermission, decisionOf } from "../permission-request.ts";
import { HELLO, type TurnHandler } from "../scenario.ts";
import { firstFault } from "../../verdicts.ts";

/** A client after a turn that it was made to cancel. */
interface TriedCancel extends Played {
  /** The notification; undefined if it did not come. */
  readonly cancel: AgentFrame | undefined;
  readonly problem: string;
}

/** The parts of a turn that the client cancels. */
interface CancelPlan {
  /** Before the client is made to cancel. */
  readonly before?: (agent: CheckingAgent) => Promise<void>;
  /** After the notification. Default: ends the turn with `cancelled`. */
  readonly after?: TurnHandler;
  /** A prompt after the cancelled one. */
  readonly next?: (agent: CheckingAgent) => Promise<string>;
  readonly options?: ScenarioOptions;
}

/** Plays a turn that the client cancels. */
export async function playCancel(check: ClientCheck, plan: CancelPlan): Promise<TriedCancel> {
  const ready = deferred();
  let cancel: AgentFrame | undefined;
  let problem = "";
  let hasBegun = false;
  const turn: TurnHandler = async (agent, call) => {
    hasBegun = true;
    try {
      await plan.before?.(agent);
      await agent.say("cancel-now ");
      ready.resolve();
      cancel = await agent.until(
        "session/cancel",
        ({ json }) => json?.["method"] === "session/cancel",
      );
      return plan.after ? await plan.after(agent, call) : "cancelled";
    } catch (error) {
      if (!(error instanceof ClientSilentError || error instanceof ClientGoneError)) throw error;
      problem = error.message;
      return "cancelled";
    }
  };
  const { beside, drive = [], ...options } = plan.options ?? {};
  const played = await check.play(
    { turn, next: plan.next },
    {
      ...options,
      drive: ["cancel", ...drive],
      beside: async (run) => {
        await Promise.race([ready.promise, run.ended]);
        run.drive("cancel");
        await beside?.(run);
      },
    },
  );
  if (!hasBegun) problem = promptProblem(played);
  return { ...played, cancel, problem };
}

/** Plays a turn that the client cancels. Throws {@link Unmet} if it does not. */
export async function playCancelled(
  check: ClientCheck,
  plan: CancelPlan,
): Promise<TriedCancel & { readonly cancel: AgentFrame }> {
  const { cancel, ...played } = await playCancel(check, plan);
  if (!cancel) throw new Unmet(played.problem || "the client did not cancel");
  return { ...played, cancel };
}

const notification: ClientCase = {
  ids: ["DRC-CAN-01", "DRC-CAN-02"],
  needs: ["cancel"],
  run: async (check) => {
    let isOpen = false;
    const played = await playCancel(check, {
      after: async (agent) => {
        await agent.say("text-after-the-cancel ");
        await agent.barrier();
        isOpen = agent.ends.length === 0;
        return "cancelled";
      },
    });
    const { cancel, agent, problem } = played;
    if (!agent?.calls("session/prompt").length) throw new Unmet(problem);
    const all = agent.calls("session/cancel");
    const fault = firstFault(
      !cancel && `it did not come: ${problem}`,
      "id" in (cancel?.json ?? {}) && "it was a request",
      paramsOf(cancel)["sessionId"] !== agent.sessionId && "it names another session",
    );
    const isKept = !fault && all.length === 1;
    check.judge("DRC-CAN-01", isKept, fault ?? `${counted(all.length, "notification")} came`, all);
    if (!cancel) throw new Unmet("the client did not cancel");
    const words = isOpen
      ? "the client took updates"
      : `the client closed the connection: ${problem}`;
    check.judge("DRC-CAN-02", isOpen && played.end !== undefined, words, describeEnd(played.end));
  },
};

const openPermissions: ClientCase = {
  ids: ["DRC-PERM-05"],
  needs: ["cancel"],
  run: async (check) => {
    const open: AgentQuestion[] = [];
    const cancelled: (readonly [when: string, reply: CallReply])[] = [];
    let decided = 0;
    await playCancelled(check, {
      options: { prefer: ["ask"] },
      before: async (agent) => {
        for (let index = 0; index < 3; index++) {
          const question = beginPermission(agent);
          open.push(question);
          void question.reply.then(() => (decided += 1));
        }
        // If the client decides by itself, it has done so by then.
        await agent.barrier();
        await agent.barrier();
      },
      after: async (agent) => {
        const wasDecided = decided > 0;
        const late = await beginPermission(agent).reply;
        for (const { reply } of wasDecided ? [] : open)
          cancelled.push(["open at the cancel", await reply]);
        cancelled.push(["sent after the cancel", late]);
        return "cancelled";
      },
    });
    if (cancelled.length === 0) throw new Unmet("the client closed the connection");
    for (const [when, reply] of cancelled)
      check.judge("DRC-PERM-05", decisionOf(reply) === "cancelled", when, reply);
  },
};

const badAgents: ClientCase = {
  ids: ["DRC-CAN-03"],
  needs: ["cancel"],
  run: async (check) => {
    const id = "DRC-CAN-03";
    const usual = await playCancelled(check, {});
    const failing = await playCancel(check, {
      after: async () => ({ error: { code: -32_603, message: "aborted" } }),
    });
    const { exits } = check.baseline;
    const isAsUsual = failing.end && (!exits || failing.end.code === usual.end?.code);
    const words = `after an error, ${describeEnd(failing.end)}; otherwise ${describeEnd(usual.end)}`;
    if (!check.judge(id, isAsUsual === true, words) || !exits) return;
    const ignoring = await playCancel(check, {
      after: () => new Promise<never>(() => {}),
    });
    check.judge(id, ignoring.end !== undefined, "without an answer", describePlayed(ignoring));
  },
};

const nextPrompt: ClientCase = {
  ids: ["DRC-CAN-04"],
  needs: ["cancel", "again"],
  run: async (check) => {
    let worked = false;
    const { stdout } = await playCancelled(check, {
      options: { drive: ["again"], beside: async (run) => run.drive("again") },
      next: async (agent) => {
        await agent.say(HELLO);
        await agent.barrier();
        worked = true;
        return "end_turn";
      },
    });
    const isShown = !check.baseline.showsText || stdout.includes(HELLO);
    const words = `the next prompt ${worked ? "worked" : "was not sent, or failed"}`;
    const output = isShown ? "its answer was shown" : "its answer was not shown";
    check.judge("DRC-CAN-04", worked && isShown, words, output);
  },
};

export const CANCEL_CASES: readonly ClientCase[] = [
  notification,
  openPermissions,
  badAgents,
  nextPrompt,
];
