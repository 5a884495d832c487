import { memoryPair, type Channel } from "../../src/entries/wire.ts";
import { openLoaded, openNew } from "../../src/droid/session/open.ts";
import { DroidConnection } from "../../src/droid/process/connection.ts";
import {
  DroidError,
  type DroidEvent,
  type DroidTurn,
  type DroidTurnResult,
} from "../../src/entries/droid.ts";
import { readHistory } from "../../src/droid/session/history.ts";
import { DroidSession } from "../../src/droid/session/session.ts";
import { isJsonObject, type JsonObject } from "../../src/base/index.ts";

export interface TranscriptEntry {
  /** `in`: the client sent the frame. `out`: Droid sent it. */
  readonly dir: "in" | "out";
  /** Milliseconds since the start of that Droid. */
  readonly t: number;
  readonly frame: JsonObject;
}

/** Reads a transcript. Skips lines from the client that are not objects. */
export function parseTranscript(text: string): TranscriptEntry[] {
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as TranscriptEntry)
    .filter(({ frame }) => isJsonObject(frame));
}

export interface ReplayedTurn {
  readonly prompt: string;
  readonly events: DroidEvent[];
  /** How the turn ended; `unfinished` if the transcript stops in the middle of it. */
  outcome: string;
  interrupt: CapturedInterrupt | undefined;
}

/** The moment at which a turn was interrupted. */
interface CapturedInterrupt {
  /** The events that had arrived by then. */
  readonly after: readonly DroidEvent[];
  /** Whether Droid was waiting for an answer. */
  readonly whileAsking: boolean;
}

export interface Replay {
  readonly turns: ReplayedTurn[];
  /** Events that arrived while no turn was running. */
  readonly outside: DroidEvent[];
  readonly history: unknown;
}

/**
 * Replays a transcript to a session, frame by frame. Droid's frames are sent unchanged. At each frame
 * of the client, the session does what the client did.
 */
export async function replay(entries: readonly TranscriptEntry[]): Promise<Replay> {
  const [local, remote] = memoryPair();
  const sent = new Sent(remote);
  const connection = new DroidConnection(local, undefined, {
    cliVersion: Promise.resolve(undefined),
  });
  const answers = entries.flatMap(({ dir, frame }) =>
    dir === "in" && frame["type"] === "response" ? [frame["result"] as JsonObject] : [],
  );
  const session = new DroidSession(connection, {
    onPermission: () => (answers.shift()?.["selectedOption"] as string | undefined) ?? "cancel",
    onAskUser: () => {
      const answer = answers.shift()?.["answers"] as { index: number; answer: string }[];
      return answer ?? null;
    },
  });
  const result: Replay = { turns: [], outside: [], history: undefined };
  session.onEvent((event, turnId) => {
    if (turnId === undefined) result.outside.push(event);
  });
  const protocol = entries.find(({ frame }) => frame["factoryProtocolVersion"])?.frame;
  // A transcript may start in the middle of a session, so send the version first.
  void remote.send(
    JSON.stringify({ ...protocol, type: "notification", method: "x", id: undefined }),
  );
  await connection.recognized;

  const ids = new Map<unknown, unknown>();
  const collecting: Promise<unknown>[] = [];
  let turn: DroidTurn | undefined;
  let isAsking = false;
  for (const { dir, frame } of entries) {
    if (dir === "out") {
      if (frame["type"] === "request") isAsking = true;
      await remote.send(JSON.stringify(withIds(frame, ids)));
      await settle();
      continue;
    }
    const params = (frame["params"] ?? {}) as JsonObject;
    switch (frame["method"]) {
      case "droid.initialize_session":
        void openNew(session, String(params["cwd"]), {
          model: params["modelId"] as string,
        }).catch(() => {});
        break;
      case "droid.load_session": {
        const id = String(params["sessionId"]);
        void openLoaded(session, id, "/workspace", {}).then(
          () => Object.assign(result, { history: readHistory(session.info.messages) }),
          () => {},
        );
        break;
      }
      case "droid.add_user_message": {
        // The client sends one prompt at a time; a second one waits for the first.
        turn = session.prompt(String(params["text"]), { whenBusy: "wait" });
        const replayed: ReplayedTurn = {
          prompt: String(params["text"]),
          events: [],
          outcome: "unfinished",
          interrupt: undefined,
        };
        result.turns.push(replayed);
        collecting.push(collect(turn, replayed));
        break;
      }
      case "droid.interrupt_session": {
        const interrupted = result.turns.at(-1);
        if (interrupted)
          interrupted.interrupt = { after: [...interrupted.events], whileAsking: isAsking };
        void turn?.cancel();
        break;
      }
      case undefined:
        isAsking = false;
        await sent.answer();
        continue;
      default:
        void connection
          .call(String(frame["method"]), params, { accept: () => undefined })
          .catch(() => {});
    }
    const request = await sent.request(String(frame["method"]));
    if (request) ids.set(frame["id"], request["id"]);
  }
  await settle();
  void session.stop();
  await local.close();
  await Promise.all(collecting);
  return result;
}

async function collect(turn: DroidTurn, into: ReplayedTurn): Promise<void> {
  try {
    for await (const event of turn) into.events.push(event);
    into.outcome = outcomeOf(await turn.result);
  } catch (error) {
    // Closed: the transcript ended before the turn did.
    if (error instanceof DroidError && error.code !== "closed") into.outcome = error.message;
  }
}

/** How a turn ended, on one line. */
export function outcomeOf({ stopReason: reason, failure }: DroidTurnResult): string {
  return failure ? `${reason}: ${failure.message}` : reason;
}

/** Replaces the captured request ids in Droid's frames with those of this session. */
function withIds(frame: JsonObject, ids: ReadonlyMap<unknown, unknown>): JsonObject {
  const own = frame["type"] === "response" && ids.has(frame["id"]);
  const renamed = own ? { ...frame, id: ids.get(frame["id"]) } : frame;
  const text = JSON.stringify(renamed, (key, value: unknown) =>
    key === "requestId" && ids.has(value) ? ids.get(value) : value,
  );
  return JSON.parse(text) as JsonObject;
}

/** Collects the frames that the session sends, in order, and answers barriers at once. */
class Sent {
  readonly #requests: JsonObject[] = [];
  readonly #answers: JsonObject[] = [];

  constructor(channel: Channel) {
    channel.open((line) => {
      const frame = JSON.parse(line) as JsonObject;
      if (frame["type"] === "response") this.#answers.push(frame);
      else if (frame["method"] === "droid.list_mcp_servers")
        void channel.send(JSON.stringify({ type: "response", id: frame["id"], result: {} }));
      else this.#requests.push(frame);
    });
  }

  async request(method: string): Promise<JsonObject | undefined> {
    for (let round = 0; round < 20; round++) {
      await settle();
      const index = this.#requests.findIndex((frame) => frame["method"] === method);
      if (index !== -1) return this.#requests.splice(index, 1)[0];
    }
    return undefined;
  }

  async answer(): Promise<JsonObject | undefined> {
    for (let round = 0; round < 20 && this.#answers.length === 0; round++) await settle();
    return this.#answers.shift();
  }
}

/** Lets frames that are in transit arrive. */
async function settle(): Promise<void> {
  for (let round = 0; round < 3; round++) {
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
  }
}
