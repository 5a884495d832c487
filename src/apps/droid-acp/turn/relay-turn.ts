import { quiet, within } from "../../../base/index.ts";
import type { Turn } from "../../../agent/index.ts";
import type { DroidClient, PromptInput, DroidTurnResult } from "../../../droid/index.ts";
import { EventRelay, type TurnHost } from "./event-relay.ts";

/** Last resort: a Droid that ignores an interrupt is ended. The next prompt restarts it. */
const CANCEL_LIMIT_MS = 8000;

interface RelayedTurn {
  readonly result: DroidTurnResult;
  /** The message from Droid about a failure. */
  readonly failureMessage: string | undefined;
  /** Whether the user closed a question or permission request without an answer. */
  readonly dismissed: boolean;
}

/**
 * Sends a prompt to Droid and forwards all events until the turn is over. Rejects with
 * DroidExitedError if Droid exits. In both cases, no tool call stays open.
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
  const relay = new EventRelay(turn, { ...host, interrupt: cancel });
  const order = new EventOrder();
  const running = droid.prompt(input, {
    // A replay has the message under the id that the client knows. Before 0.215, Droid chooses another one.
    messageId: turn.messageId,
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
    order.received();
    relay.record(event);
  });
  if (turn.signal.aborted) cancel();
  else turn.signal.addEventListener("abort", cancel, { once: true });
  try {
    for await (const event of running) {
      await relay.event(event);
      order.forwarded();
    }
    const result = await running.result;
    return { result, failureMessage: relay.failureMessage, dismissed: relay.dismissed };
  } finally {
    unsubscribe();
    turn.signal.removeEventListener("abort", cancel);
    await relay.settle();
  }
}

/**
 * Keeps events and questions in order. Questions from Droid arrive at once, but events are forwarded only
 * when the client can take more. A question must not overtake the events before it.
 */
class EventOrder {
  #received = 0;
  #forwarded = 0;
  #waiting: { readonly until: number; readonly go: () => void }[] = [];

  received(): void {
    this.#received++;
  }

  forwarded(): void {
    this.#forwarded++;
    if (this.#waiting.length === 0) return;
    for (const { until, go } of this.#waiting) if (until <= this.#forwarded) go();
    this.#waiting = this.#waiting.filter(({ until }) => until > this.#forwarded);
  }

  caughtUp(): Promise<void> {
    const until = this.#received;
    if (this.#forwarded >= until) return Promise.resolve();
    return new Promise((go) => this.#waiting.push({ until, go }));
  }
}
