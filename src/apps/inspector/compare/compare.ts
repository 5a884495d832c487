import {
  itemText,
  type SessionModel,
  type TracedTurn,
  turnTime,
  type TurnTime,
} from "../../../trace/index.ts";
import { align, type AlignedPair, compareTexts, type TextPiece } from "./align.ts";
import { type FieldDifference, setupDifferences } from "./setup.ts";

/** Options of a comparison. */
export interface CompareOptions {
  /** Whether the texts of messages are compared word by word. Default: false. */
  readonly texts?: boolean | undefined;
}

/** Two turns side by side. */
export interface TurnComparison {
  /** The numbers of the turns; undefined where one session has no such turn. */
  readonly a: number | undefined;
  readonly b: number | undefined;
  readonly isSamePrompt: boolean;
  readonly isSameStopReason: boolean;
  readonly time: { readonly a: TurnTime | undefined; readonly b: TurnTime | undefined };
  /** Tool calls side by side, by their numbers. Those of the same kind and title fit. */
  readonly tools: readonly AlignedPair[];
  /** Frames side by side, by their rows. Runs of chunks count as one frame, their first. */
  readonly frames: readonly AlignedPair[];
  /** The answers as pieces, if texts are compared. */
  readonly text: readonly TextPiece[] | undefined;
}

/** Two sessions side by side. */
export interface SessionComparison {
  readonly setup: readonly FieldDifference[];
  readonly turns: readonly TurnComparison[];
}

/**
 * Compares two recordings: the set-up, then turn by turn, tool call by tool call and frame by frame. Ids,
 * times and the texts of chunks do not count as differences.
 */
export function compareSessions(
  a: SessionModel,
  b: SessionModel,
  options: CompareOptions = {},
): SessionComparison {
  const pairs = align(promptsOf(a), promptsOf(b), true);
  return {
    setup: setupDifferences(a, b),
    turns: pairs.map((pair) => compareTurns(a, b, pair, options)),
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

function compareTurns(
  a: SessionModel,
  b: SessionModel,
  pair: AlignedPair,
  { texts = false }: CompareOptions,
): TurnComparison {
  const turnA = pair.a === undefined ? undefined : a.turns[pair.a];
  const turnB = pair.b === undefined ? undefined : b.turns[pair.b];
  const [callsA, callsB] = [turnA?.tools ?? [], turnB?.tools ?? []];
  const [rowsA, rowsB] = [rowsOf(a, turnA), rowsOf(b, turnB)];
  return {
    ...pair,
    isSamePrompt: Boolean(turnA && turnB) && promptOf(a, turnA) === promptOf(b, turnB),
    isSameStopReason:
      turnA?.stopReason === turnB?.stopReason && turnA?.error?.code === turnB?.error?.code,
    time: { a: turnA && turnTime(a, turnA), b: turnB && turnTime(b, turnB) },
    tools: numbered(align(toolKeys(a, callsA), toolKeys(b, callsB), false), callsA, callsB),
    frames: numbered(align(frameKeys(a, rowsA), frameKeys(b, rowsB), false), rowsA, rowsB),
    text: texts ? compareTexts(answerOf(a, turnA), answerOf(b, turnB)) : undefined,
  };
}

function promptOf(model: SessionModel, turn: TracedTurn | undefined): string {
  return textsOf(model, turn, "prompt");
}

function answerOf(model: SessionModel, turn: TracedTurn | undefined): string {
  return textsOf(model, turn, "agent");
}

function textsOf(
  model: SessionModel,
  turn: TracedTurn | undefined,
  kind: "prompt" | "agent",
): string {
  return model.items
    .filter((item) => item.kind === kind && item.turn === turn?.number)
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

function frameKeys(model: SessionModel, rows: readonly number[]): readonly string[] {
  const { frames, toolCalls } = model;
  return rows.map((row) => {
    const tool = toolCalls[frames.tool(row)]?.kind ?? "";
    const keys = [
      frames.direction(row),
      frames.kind(row),
      frames.method(row),
      frames.update(row),
      tool,
    ];
    return keys.join(" ");
  });
}

function toolKeys({ toolCalls }: SessionModel, calls: readonly number[]): readonly string[] {
  return calls.map(
    (number) => `${toolCalls[number]?.kind ?? ""} ${toolCalls[number]?.title ?? ""}`,
  );
}

/** Positions in two lists as the values at these positions. */
function numbered(
  pairs: readonly AlignedPair[],
  a: readonly number[],
  b: readonly number[],
): readonly AlignedPair[] {
  return pairs.map((pair) => ({
    a: pair.a === undefined ? undefined : a[pair.a],
    b: pair.b === undefined ? undefined : b[pair.b],
  }));
}
