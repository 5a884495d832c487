import { quiet, within } from "../../wire/index.ts";
import type { Turn } from "../../agent/index.ts";
import type { DroidClient, PromptInput, DroidTurnResult } from "../../droid/index.ts";
import { TurnRelay, type TurnHost } from "./turn-relay.ts";

/** Last resort: a Droid that does not obey an interrupt is ended, and the next prompt starts another. */
const CANCEL_LIMIT_MS = 8000;

export interface RelayedTurn {
  readonly result: DroidTurnResult;
  /** What Droid told the user about a failure. */
  readonly told: string | undefined;
  /** The user closed a question without an answer. */
  readonly dismissed: boolean;
}

/**
 * Sends a prompt to Droid and passes everything on until its turn is over. Rejects with
 * DroidExitedError when Droid dies; either way no tool call is left open.
 */
export async function relayTurn<S>(
  turn: Turn<S>,
  droid: DroidClient,
  input: PromptInput,
  host: Omit<TurnHost, "interrupt">,
): Promise<RelayedTurn> {
  const stop = async (): Promise<void> => {
    if (!(await within(running.cancel(), CANCEL_LIMIT_MS))) await droid.close();
  };
  const cancel = (): void => void quiet(stop());
  const relay = new TurnRelay(turn, { ...host, interrupt: cancel });
  const order = new Order();
  const running = droid.prompt(input, {
    whenBusy: "wait",
    onPermission: async (request) => {
      await order.caughtUp();
      return relay.permission(request);
    },
    onAskUser: async (request) => {
      await order.caughtUp();
      return relay.question(request);
    },
  });
  const unsubscribe = droid.onEvent((event, turnId) => {
    if (turnId !== running.id) return;
    order.came();
    relay.heard(event);
  });
  if (turn.signal.aborted) cancel();
  else turn.signal.addEventListener("abort", cancel, { once: true });
  try {
    for await (const event of running) {
      await relay.event(event);
      order.passed();
    }
    const result = await running.result;
    return { result, told: relay.told, dismissed: relay.dismissed };
  } finally {
    unsubscribe();
    turn.signal.removeEventListener("abort", cancel);
    await relay.settle();
  }
}

/**
 * Questions of Droid's are heard at once, events when the client can take them: what stood before a
 * question has to go out before it.
 */
class Order {
  #came = 0;
  #passed = 0;
  #waiting: { readonly until: number; readonly go: () => void }[] = [];

  came(): void {
    this.#came++;
  }

  passed(): void {
    this.#passed++;
    if (this.#waiting.length === 0) return;
    for (const { until, go } of this.#waiting) if (until <= this.#passed) go();
    this.#waiting = this.#waiting.filter(({ until }) => until > this.#passed);
  }

  caughtUp(): Promise<void> {
    const until = this.#came;
    if (this.#passed >= until) return Promise.resolve();
    return new Promise((go) => this.#waiting.push({ until, go }));
  }
}
