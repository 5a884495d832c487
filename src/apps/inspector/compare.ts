import { diffArrays } from "diff";
import { isJsonObject, type JsonObject, objectField, stringField } from "../../base/index.ts";
import {
  itemText,
  paramsOf,
  readWireMessage,
  resultOf,
  type SessionModel,
  type TracedTurn,
  turnTime,
  type WireMessage,
} from "../../trace/index.ts";

export type SessionComparison = ReturnType<typeof compareSessions>;

/** Two turns side by side. */
export type TurnComparison = SessionComparison["turns"][number];

/**
 * Compares two recordings: the set-up, then turn by turn, tool call by tool call and frame by frame. Ids,
 * times and the texts of chunks do not count as differences. `withTexts` compares answers word by word.
 */
export function compareSessions(a: SessionModel, b: SessionModel, withTexts = false) {
  const [promptsA, promptsB] = [promptsOf(a), promptsOf(b)];
  return {
    setup: fieldDifferences(sessionSetup(a), sessionSetup(b)),
    turns: align(promptsA, promptsB, true).map((pair) => {
      const turnA = a.turns[pair.a ?? -1];
      const turnB = b.turns[pair.b ?? -1];
      return {
        /** The numbers of the turns; undefined where one session has no such turn. */
        ...pair,
        isSamePrompt:
          turnA !== undefined &&
          turnB !== undefined &&
          promptsA[turnA.number] === promptsB[turnB.number],
        isSameStopReason:
          turnA?.stopReason === turnB?.stopReason && turnA?.error?.code === turnB?.error?.code,
        time: { a: turnA && turnTime(a, turnA), b: turnB && turnTime(b, turnB) },
        /** By their numbers. Calls of the same kind and title fit. */
        tools: alignBy(turnA?.tools ?? [], turnB?.tools ?? [], toolKeys(a), toolKeys(b)),
        /** By their rows. Runs of chunks count as one frame, their first. */
        frames: alignBy(rowsOf(a, turnA), rowsOf(b, turnB), frameKeys(a), frameKeys(b)),
        /** The answers as pieces, if texts are compared. */
        text: withTexts ? compareTexts(answerOf(a, turnA), answerOf(b, turnB)) : undefined,
      };
    }),
  };
}

function promptsOf(model: SessionModel): readonly string[] {
  const prompts = new Map(
    model.items.filter(({ kind }) => kind === "prompt").map((item) => [item.first, item]),
  );
  return model.turns.map(({ prompt }) => {
    const item = prompts.get(prompt);
    return item ? itemText(model, item) : "";
  });
}

function answerOf(model: SessionModel, turn: TracedTurn | undefined): string {
  return model.items
    .filter((item) => item.kind === "agent" && item.turn === turn?.number)
    .map((item) => itemText(model, item))
    .join("\n\n");
}

/** The rows of a turn, with only the first of each run of frames that are alike. */
function rowsOf({ frames }: SessionModel, turn: TracedTurn | undefined): readonly number[] {
  if (!turn) return [];
  const rows: number[] = [];
  const last = turn.end < 0 ? frames.count - 1 : turn.end;
  let before = "";
  for (let row = turn.prompt; row <= last; row++) {
    if (frames.turn(row) !== turn.number) continue;
    const update = frames.update(row);
    const isChunk = update.endsWith("_chunk");
    if (!isChunk || update !== before) rows.push(row);
    before = isChunk ? update : "";
  }
  return rows;
}

function frameKeys({ frames, toolCalls }: SessionModel) {
  return (row: number): string =>
    [
      frames.direction(row),
      frames.kind(row),
      frames.method(row),
      frames.update(row),
      toolCalls[frames.tool(row)]?.kind ?? "",
    ].join(" ");
}

function toolKeys({ toolCalls }: SessionModel) {
  return (number: number): string =>
    `${toolCalls[number]?.kind ?? ""} ${toolCalls[number]?.title ?? ""}`;
}

/** A part of two lists: the same items in both, or those that only one of them has. */
interface Stretch<T> {
  readonly isSame: boolean;
  readonly a: readonly T[];
  readonly b: readonly T[];
}

/** More differences than this take too long to align. */
const MOST_EDITS = 2000;

/**
 * Divides two lists so that as many items as possible are the same and the order is kept. With more than
 * `mostEdits` differences, everything is one stretch that differs.
 */
export function compareLists<T>(
  a: readonly T[],
  b: readonly T[],
  mostEdits = MOST_EDITS,
): readonly Stretch<T>[] {
  const changes = diffArrays([...a], [...b], { maxEditLength: mostEdits });
  if (changes === undefined) return [{ isSame: false, a, b }];
  const stretches: Stretch<T>[] = [];
  for (const { added, removed, value } of changes) {
    const last = stretches.at(-1);
    // Removed items come before those that replace them.
    if (added && last?.isSame === false) stretches.splice(-1, 1, { ...last, b: value });
    else
      stretches.push({
        isSame: !added && !removed,
        a: added ? [] : value,
        b: removed ? [] : value,
      });
  }
  return stretches;
}

/** A pair of numbers from two lists; undefined where one list has nothing that fits. */
export interface AlignedPair {
  readonly a: number | undefined;
  readonly b: number | undefined;
}

/**
 * The positions in two lists of keys, aligned so that as many as possible are equal and the order is kept. In
 * each stretch that differs, they are put side by side in order if `pairsRest` is true, and otherwise one after
 * the other.
 */
function align(
  a: readonly string[],
  b: readonly string[],
  pairsRest: boolean,
): readonly AlignedPair[] {
  let [atA, atB] = [0, 0];
  return compareLists(a, b).flatMap((stretch): readonly AlignedPair[] => {
    const [placesA, placesB] = [stretch.a.map(() => atA++), stretch.b.map(() => atB++)];
    if (!pairsRest && !stretch.isSame)
      return [
        ...placesA.map((at) => ({ a: at, b: undefined })),
        ...placesB.map((at) => ({ a: undefined, b: at })),
      ];
    const length = Math.max(placesA.length, placesB.length);
    return Array.from({ length }, (_, index) => ({ a: placesA[index], b: placesB[index] }));
  });
}

function alignBy(
  a: readonly number[],
  b: readonly number[],
  keyOfA: (number: number) => string,
  keyOfB: (number: number) => string,
): readonly AlignedPair[] {
  const pairs = align(a.map(keyOfA), b.map(keyOfB), false);
  return pairs.map((pair) => ({ a: a[pair.a ?? -1], b: b[pair.b ?? -1] }));
}

/** A piece of two texts: in both, or only in one. */
export interface TextPiece {
  readonly text: string;
  readonly in: "both" | "a" | "b";
}

/** Compares two texts word by word. Texts that differ too much are two pieces. */
function compareTexts(a: string, b: string): readonly TextPiece[] {
  const piece = (words: readonly string[], where: TextPiece["in"]): readonly TextPiece[] =>
    words.length === 0 ? [] : [{ text: words.join(""), in: where }];
  return compareLists(wordsOf(a), wordsOf(b)).flatMap((stretch) =>
    stretch.isSame
      ? piece(stretch.a, "both")
      : [...piece(stretch.a, "a"), ...piece(stretch.b, "b")],
  );
}

/** Words, single marks and stretches of space. */
function wordsOf(text: string): string[] {
  return text.match(/[\p{L}\p{N}_]+|\s+|[^]/gu) ?? [];
}

/** A field that differs between two sessions. Undefined: one side lacks it. */
export interface FieldDifference {
  /** Where it is, such as `agentCapabilities.loadSession`. */
  readonly path: string;
  readonly a: unknown;
  readonly b: unknown;
}

/** The differences of two JSON values, by path. Lists are compared as a whole. */
export function fieldDifferences(a: unknown, b: unknown, path = ""): readonly FieldDifference[] {
  if (isJsonObject(a) && isJsonObject(b)) {
    const keys = [...new Set([...Object.keys(a), ...Object.keys(b)])].toSorted();
    return keys.flatMap((key) =>
      fieldDifferences(a[key], b[key], path === "" ? key : `${path}.${key}`),
    );
  }
  return isSameJson(a, b) ? [] : [{ path, a, b }];
}

function isSameJson(a: unknown, b: unknown): boolean {
  if (!Array.isArray(a) || !Array.isArray(b))
    return isJsonObject(a) && isJsonObject(b) ? fieldDifferences(a, b).length === 0 : a === b;
  const other: readonly unknown[] = b;
  return a.length === other.length && a.every((item, index) => isSameJson(item, other[index]));
}

/**
 * Everything that two sides agreed on before the first prompt: versions, names, capabilities, sign-in methods, and
 * the modes and options of the first session. Its id is ignored.
 */
function sessionSetup({ frames, lanes, sessions }: SessionModel): JsonObject {
  const messageAt = (row = -1): WireMessage | undefined =>
    row < 0 ? undefined : readWireMessage(frames.line(row));
  const offered = messageAt(lanes[0]?.initialize);
  const agreed = messageAt(lanes[0]?.initialized);
  const opened = sessions[0]?.opened ?? -1;
  const opening = messageAt(opened < 0 ? -1 : frames.pair(opened));
  const { sessionId: _, ...session } = opening ? resultOf(opening) : {};
  return { client: offered && paramsOf(offered), agent: agreed && resultOf(agreed), session };
}

interface Party {
  readonly name: string;
  readonly version: string | undefined;
}

/** Who talks to whom: from `initialize`, and otherwise from the header. */
export function partiesOf(model: SessionModel): {
  readonly agent: Party | undefined;
  readonly client: Party | undefined;
  readonly protocolVersion: number | undefined;
} {
  const { client, agent } = sessionSetup(model);
  const { header } = model;
  return {
    agent: infoIn(agent, "agentInfo") ?? named(header.agent?.name),
    client: infoIn(client, "clientInfo") ?? named(header.client?.name, header.client?.version),
    protocolVersion: model.lanes[0]?.protocolVersion,
  };
}

function infoIn(value: unknown, field: string): Party | undefined {
  if (!isJsonObject(value)) return undefined;
  // v2 calls it `info` on both sides.
  const info = objectField(value, field) ?? objectField(value, "info");
  return (
    info &&
    named(stringField(info, "title") ?? stringField(info, "name"), stringField(info, "version"))
  );
}

function named(name: string | undefined, version?: string): Party | undefined {
  return name === undefined ? undefined : { name, version };
}
