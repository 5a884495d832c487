import type { Control, Piece, Reply } from "../reply.ts";

export type Block =
  | Extract<Piece, { readonly text: string }>
  | {
      readonly kind: "tool";
      readonly id: string;
      readonly name: string;
      readonly argumentsText: string;
    };

export type BlockEvent =
  | { readonly at: "open"; readonly index: number; readonly block: Block }
  | { readonly at: "delta"; readonly index: number; readonly block: Block; readonly text: string }
  | { readonly at: "close"; readonly index: number; readonly block: Block }
  | { readonly at: "control"; readonly control: Control };

/**
 * The content as blocks that open and close, which two of the dialects need. Neighbouring pieces of one kind form one
 * block, so `[text("a"), hang(), text("b")]` is one text with a pause in it. A block carries its complete text, because
 * the closing events repeat it.
 */
export function blockEvents(reply: Reply): BlockEvent[] {
  const events: BlockEvent[] = [];
  let index = -1;
  let open: Block | undefined;
  const close = (): void => {
    if (open !== undefined) events.push({ at: "close", index, block: open });
    open = undefined;
  };
  const start = (block: Block): Block => {
    close();
    index += 1;
    open = block;
    events.push({ at: "open", index, block });
    return block;
  };
  for (const [position, piece] of reply.pieces.entries()) {
    if (piece.kind === "text" || piece.kind === "thinking") {
      const block =
        open?.kind === piece.kind ? open : start(runFrom(reply.pieces, position, piece.kind));
      events.push({ at: "delta", index, block, text: piece.text });
    } else if (piece.kind === "tool") {
      const block = start(toolBlock(piece));
      for (const fragment of piece.fragments)
        events.push({ at: "delta", index, block, text: fragment });
      close();
    } else {
      events.push({ at: "control", control: piece });
    }
  }
  close();
  return events;
}

function runFrom(pieces: readonly Piece[], position: number, kind: "text" | "thinking"): Block {
  let text = "";
  for (const piece of pieces.slice(position)) {
    if (piece.kind === kind) text += piece.text;
    else if (piece.kind === "text" || piece.kind === "thinking" || piece.kind === "tool") break;
  }
  return { kind, text };
}

function toolBlock(piece: Piece & { kind: "tool" }): Block {
  return { kind: "tool", id: piece.id, name: piece.name, argumentsText: piece.fragments.join("") };
}

export function blocksOf(reply: Reply): Block[] {
  return blockEvents(reply).flatMap((event) => (event.at === "open" ? [event.block] : []));
}
