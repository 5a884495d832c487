import {
  defaultUsage,
  type FinishReason,
  type Gate,
  type HttpErrorPart,
  type Pacing,
  type Step,
  type ReplyUsage,
} from "./script-parts.ts";

/** A part of a reply after chunking. The dialects turn the first three kinds into bytes and pass on the others. */
export type Piece =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "thinking"; readonly text: string }
  | {
      readonly kind: "tool";
      readonly id: string;
      readonly name: string;
      readonly fragments: readonly string[];
    }
  | Control;

export type Control =
  | { readonly kind: "wait"; readonly ms: number }
  | { readonly kind: "gate"; readonly gate: Gate }
  | { readonly kind: "cut" };

export interface Reply {
  readonly pieces: readonly Piece[];
  readonly finish: FinishReason;
  readonly usage: ReplyUsage;
  readonly error: HttpErrorPart | undefined;
  readonly cutAfter: number | undefined;
}

/** One action of the server on the connection. `content` marks the deltas that `brokenStream(n)` counts. */
export type WireItem =
  | { readonly kind: "send"; readonly data: string; readonly content: boolean }
  | Control;

export function isControlPiece(piece: Piece): piece is Control {
  return piece.kind === "wait" || piece.kind === "gate" || piece.kind === "cut";
}

export function planReply(step: Step): Reply {
  const pieces: Piece[] = [];
  let finish: FinishReason | undefined;
  let usage = defaultUsage;
  let error: HttpErrorPart | undefined;
  let cutAfter: number | undefined;
  for (const part of "type" in step ? [step] : step) {
    switch (part.type) {
      case "text":
      case "thinking":
        pieces.push(...pacedPieces(part.type, part.text, part));
        break;
      case "tool_call":
        pieces.push({
          kind: "tool",
          id: part.id,
          name: part.name,
          fragments: splitReplyText(part.argumentsText, part.chunks),
        });
        break;
      case "hang":
        pieces.push({ kind: "gate", gate: part.gate });
        break;
      case "broken_stream":
        if (part.afterChunks === undefined) pieces.push({ kind: "cut" });
        else cutAfter = part.afterChunks;
        break;
      case "http_error":
        error = part;
        break;
      case "finish":
        finish = part.reason;
        break;
      case "usage":
        usage = part.usage;
        break;
    }
  }
  const implied: FinishReason = pieces.some((piece) => piece.kind === "tool")
    ? "tool_calls"
    : "stop";
  return { pieces, finish: finish ?? implied, usage, error, cutAfter };
}

function pacedPieces(kind: "text" | "thinking", text: string, pacing: Pacing): Piece[] {
  return splitReplyText(text, pacing.chunks ?? 1).flatMap((chunk): Piece[] =>
    pacing.delayMs === undefined
      ? [{ kind, text: chunk }]
      : [
          { kind: "wait", ms: pacing.delayMs },
          { kind, text: chunk },
        ],
  );
}

/** Cuts text between code points, because half a surrogate pair cannot be sent as UTF-8. */
export function splitReplyText(text: string, chunks: number): string[] {
  const points = Array.from(text);
  const count = Math.max(1, Math.min(chunks, points.length));
  const parts: string[] = [];
  for (let index = 0; index < count; index += 1) {
    const from = Math.floor((index * points.length) / count);
    const to = Math.floor(((index + 1) * points.length) / count);
    parts.push(points.slice(from, to).join(""));
  }
  return parts;
}
