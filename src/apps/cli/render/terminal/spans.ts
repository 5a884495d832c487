import { columnsOf } from "./columns.ts";
import type { Style, StyleName } from "./style.ts";

/** A piece of one row, in one look. Its text is safe for a terminal and has no line breaks. */
export interface TextSpan {
  readonly text: string;
  readonly styles: readonly StyleName[];
  /** An address that a click opens, as `safeLink` returns it. */
  readonly link?: string | undefined;
}

/** One row, ready to print. It sets no style that the next one would inherit. */
export interface Row {
  readonly text: string;
  /** How many columns it takes. */
  readonly columns: number;
}

export function span(text: string, ...styles: StyleName[]): TextSpan {
  return { text, styles };
}

export function rowOf(spans: readonly TextSpan[], style: Style): Row {
  return { text: paint(spans, style), columns: columnsOfSpans(spans) };
}

export function columnsOfSpans(spans: readonly TextSpan[]): number {
  return spans.reduce((sum, { text }) => sum + columnsOf(text), 0);
}

/** Neighbours of the same look become one span. Empty ones disappear. */
export function joined(spans: readonly TextSpan[]): readonly TextSpan[] {
  const all: TextSpan[] = [];
  for (const next of spans) {
    const last = all.at(-1);
    if (last !== undefined && looksLike(last, next))
      all[all.length - 1] = { ...last, text: last.text + next.text };
    else if (next.text !== "") all.push(next);
  }
  return all;
}

function looksLike(a: TextSpan, b: TextSpan): boolean {
  return a.link === b.link && a.styles.join() === b.styles.join();
}

function paint(spans: readonly TextSpan[], style: Style): string {
  return joined(spans)
    .map(({ text, styles, link }) => {
      const painted = styles.reduceRight((inner, name) => style(name, inner), text);
      return link === undefined ? painted : `${linkTo(link)}${painted}${linkTo("")}`;
    })
    .join("");
}

/** OSC 8 starts a link, or ends it if the address is empty. */
function linkTo(address: string): string {
  return `\u001b]8;;${address}\u001b\\`;
}
