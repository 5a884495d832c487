import type {
  AskUserAnswer,
  DroidClient,
  DroidEvent,
  DroidPermissionAnswer,
} from "../../../src/entries/droid.ts";
import { shapeOf } from "../../droid/format.ts";
import { outcomeOf, type ReplayedTurn } from "../../droid/replay.ts";
import type { DroidHome } from "../../support/droid/home.ts";
import type { ModelServer } from "../../../src/conformance/scripted-model/index.ts";
import { normalized, scriptOf, type CapturedAnswers } from "./scenario.ts";

const PIXEL = {
  mediaType: "image/png",
  data: "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
};

/** The result of repeating a captured turn. */
export interface Repeated {
  readonly events: readonly DroidEvent[];
  readonly outcome: string;
}

/** The context in which to repeat a captured turn. */
export interface Repetition {
  readonly droid: DroidClient;
  readonly model: ModelServer;
  readonly home: DroidHome;
  readonly answers: CapturedAnswers;
}

/** Repeats the turns of a capture. In the captures of a busy Droid, the second prompt is sent at once. */
export async function repeat(
  context: Repetition,
  name: string,
  turns: readonly ReplayedTurn[],
): Promise<Repeated[]> {
  const running: Promise<Repeated>[] = [];
  for (const turn of turns) {
    context.model.push(...scriptOf(turn, context.home.workspace));
    running.push(repeatTurn(context, name, turn));
    if (!name.startsWith("busy")) await running.at(-1);
  }
  return Promise.all(running);
}

async function repeatTurn(
  { droid, answers }: Repetition,
  name: string,
  captured: ReplayedTurn,
): Promise<Repeated> {
  const { interrupt, outcome } = captured;
  const events: DroidEvent[] = [];
  let isAsking = false;
  let stoppedAt: number | undefined;
  const stop = (): void => {
    const last = outcome === "unfinished" ? captured.events : interrupt?.after;
    if (!last || stoppedAt !== undefined) return;
    if (interrupt?.whileAsking === true ? !isAsking : !hasReached(events, last)) return;
    stoppedAt = events.length;
    void turn.cancel();
  };
  // A request without an answer in the capture stays unanswered here too.
  const unanswered = <T>(denial: T): T | Promise<T> => {
    isAsking = true;
    stop();
    return interrupt ? new Promise<T>(() => {}) : denial;
  };
  const turn = droid.prompt(
    { text: captured.prompt, ...(name.startsWith("image") ? { images: [PIXEL] } : {}) },
    {
      whenBusy: "wait",
      onPermission: () =>
        answers.permissions.shift() ?? unanswered<DroidPermissionAnswer>("cancel"),
      onAskUser: () => answers.questions.shift() ?? unanswered<AskUserAnswer>(null),
    },
  );
  for await (const event of turn) {
    events.push(event);
    stop();
  }
  const ended = outcomeOf(await turn.result);
  // The capture stops in the middle of the turn, so its further course is unknown.
  if (outcome === "unfinished" && stoppedAt !== undefined)
    return { events: events.slice(0, stoppedAt), outcome };
  return { events, outcome: ended };
}

/**
 * Whether the events contain as much text, the same kinds of events and as many retries as the
 * captured ones. States do not count: another version may have different ones, and must be stopped
 * nevertheless.
 */
function hasReached(events: readonly DroidEvent[], last: readonly DroidEvent[]): boolean {
  const textLength = (list: readonly DroidEvent[]): number =>
    list.reduce((sum, event) => sum + (event.type === "text" ? event.text.length : 0), 0);
  const kinds = (list: readonly DroidEvent[]): Set<string> =>
    new Set(shapeOf(list).map((line) => line.replace(/ .*/s, "")));
  const seen = kinds(events);
  const retries = (list: readonly DroidEvent[]): number =>
    list.filter((event) => event.type === "notice" && event.kind === "retry").length;
  return (
    textLength(events) >= textLength(last) &&
    retries(events) >= retries(last) &&
    [...kinds(last)].every((kind) => seen.has(kind))
  );
}

/** The shape of the events, with the paths replaced by those of the captures. */
export function shape(events: readonly DroidEvent[], home: DroidHome): string[] {
  return normalized(shapeOf(events), home);
}

/** Waits for the servers of the project, which connect after the session has started. */
export async function untilConnected(droid: DroidClient): Promise<void> {
  const isConnected = async (): Promise<boolean> =>
    (await droid.request("listMcpTools", {})).some(({ serverName }) => serverName === "tiny");
  await new Promise<void>((resolve) => {
    const check = (): void => void isConnected().then((connected) => connected && resolve());
    droid.onEvent(({ type }) => type === "mcp" && check());
    check();
  });
}
