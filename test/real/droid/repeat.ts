import type {
  AskUserAnswer,
  DroidClient,
  DroidEvent,
  DroidPermissionAnswer,
} from "../../../src/entries/droid.ts";
import { shapeOf } from "../../droid/format.ts";
import { outcomeOf, type ReplayedTurn } from "../../droid/replay.ts";
import type { DroidHome } from "../../support/droid/home.ts";
import type { ModelServer } from "../../support/model/index.ts";
import { normalized, scriptOf, type CapturedAnswers } from "./scenario.ts";

const PIXEL = {
  mediaType: "image/png",
  data: "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
};

/** What came of a captured turn when it was made to happen once more. */
export interface Repeated {
  readonly events: readonly DroidEvent[];
  readonly outcome: string;
}

/** Where a captured turn is made to happen again. */
export interface Repetition {
  readonly droid: DroidClient;
  readonly model: ModelServer;
  readonly home: DroidHome;
  readonly answers: CapturedAnswers;
}

/** Makes the turns of a capture happen once more; a second prompt for a busy Droid is given at once. */
export async function repeat(
  place: Repetition,
  name: string,
  turns: readonly ReplayedTurn[],
): Promise<Repeated[]> {
  const running: Promise<Repeated>[] = [];
  for (const turn of turns) {
    place.model.push(...scriptOf(turn, place.home.workspace));
    running.push(repeatTurn(place, name, turn));
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
    if (interrupt?.whileAsking === true ? !isAsking : !hasComeAsFar(events, last)) return;
    stoppedAt = events.length;
    void turn.cancel();
  };
  // What was not answered then is not answered now.
  const unanswered = <T>(refusal: T): T | Promise<T> => {
    isAsking = true;
    stop();
    return interrupt ? new Promise<T>(() => {}) : refusal;
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
  // The capture stops in the middle of the turn; how it would have gone on is not known.
  if (outcome === "unfinished" && stoppedAt !== undefined)
    return { events: events.slice(0, stoppedAt), outcome };
  return { events, outcome: ended };
}

/**
 * Whether as much was said, started and retried. States do not count: another version may have
 * others, and must be stopped all the same.
 */
function hasComeAsFar(events: readonly DroidEvent[], last: readonly DroidEvent[]): boolean {
  const said = (list: readonly DroidEvent[]): number =>
    list.reduce((sum, event) => sum + (event.type === "text" ? event.text.length : 0), 0);
  const kinds = (list: readonly DroidEvent[]): Set<string> =>
    new Set(shapeOf(list).map((line) => line.replace(/ .*/s, "")));
  const seen = kinds(events);
  const retries = (list: readonly DroidEvent[]): number =>
    list.filter((event) => event.type === "notice" && event.kind === "retry").length;
  return (
    said(events) >= said(last) &&
    retries(events) >= retries(last) &&
    [...kinds(last)].every((kind) => seen.has(kind))
  );
}

/** The shape of events, with the paths of the captures. */
export function shape(events: readonly DroidEvent[], home: DroidHome): string[] {
  return normalized(shapeOf(events), home);
}

/** Servers of the project connect after the session has begun. */
export async function untilConnected(droid: DroidClient): Promise<void> {
  const isThere = async (): Promise<boolean> =>
    (await droid.request("listMcpTools", {})).some(({ serverName }) => serverName === "tiny");
  await new Promise<void>((resolve) => {
    const look = (): void => void isThere().then((there) => there && resolve());
    droid.onEvent(({ type }) => type === "mcp" && look());
    look();
  });
}
