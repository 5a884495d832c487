import { deferred } from "../../../../base/index.ts";
import type { AgentFrame, CheckingAgent } from "../agent.ts";
import type { ClientCheck, Played, ScenarioOptions } from "../case.ts";
import { ClientGoneError, ClientSilentError } from "../errors.ts";
import { promptProblem } from "../observe.ts";
import type { TurnHandler } from "../scenario.ts";

/** A client after a turn that it was made to cancel. */
export interface Cancelled extends Played {
  /** The notification; undefined if it did not come. */
  readonly cancel: AgentFrame | undefined;
  readonly problem: string;
}

/** The parts of a turn that the client cancels. */
export interface CancelPlan {
  /** Before the client is made to cancel. */
  readonly before?: (agent: CheckingAgent) => Promise<void>;
  /** After the notification. Default: ends the turn with `cancelled`. */
  readonly after?: TurnHandler;
  /** A prompt after the cancelled one. */
  readonly next?: (agent: CheckingAgent) => Promise<string>;
  readonly options?: ScenarioOptions;
}

/** Plays a turn that the client cancels. */
export async function playCancel(check: ClientCheck, plan: CancelPlan): Promise<Cancelled> {
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
  const played = await check.play(
    { turn, next: plan.next },
    {
      ...plan.options,
      drive: ["cancel", ...(plan.options?.drive ?? [])],
      beside: async (run) => {
        await Promise.race([ready.promise, run.ended]);
        run.drive("cancel");
        await plan.options?.beside?.(run);
      },
    },
  );
  if (!hasBegun) problem = promptProblem(played);
  return { ...played, cancel, problem };
}
