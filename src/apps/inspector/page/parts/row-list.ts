import { html, nothing, render, type TemplateResult } from "lit-html";
import type { ListStep } from "../app.ts";
import { element, type Shown } from "./ui.ts";

export interface RowColumn<T> {
  /** The heading; empty for a column of marks. */
  readonly title: string;
  /** The heading for screen readers. Default: the title. */
  readonly label?: string | undefined;
  readonly name: string;
  readonly cell: (row: T) => Shown;
}

export interface RowListContent<T> {
  readonly rows: { readonly length: number; at(index: number): T | undefined };
  /** The index of the selected row; -1 for none. */
  readonly active: number;
  readonly columns: readonly RowColumn<T>[];
  /** The class and the data attributes of a row. */
  readonly marks?: ((row: T) => RowMarks) | undefined;
}

interface RowMarks {
  readonly name?: string | undefined;
  readonly kind?: string | undefined;
  readonly dir?: string | undefined;
}

export interface RowListOptions<T> {
  readonly label: string;
  /** The class of the list, which sets the widths of its columns. */
  readonly name: string;
  /** The user moved to a row, or opened it. */
  readonly onSelect: (row: T, isOpened: boolean, index: number) => void;
  /** The user scrolled; `isAtEnd` if the last row is in view. */
  readonly onScroll?: ((isAtEnd: boolean) => void) | undefined;
}

/** Elements cannot be higher than 33,554,428 pixels in Chromium. */
const MOST_PIXELS = 30_000_000;
const ROW_PIXELS = 28;
/** Rows drawn beyond the visible ones on either side. */
const SPARE_ROWS = 6;

let lists = 0;

/**
 * A list of any number of rows of the same height. Only the visible rows are elements, and they are used again.
 * The list is one stop for the tab key, and the arrow keys move its active row.
 */
export class RowList<T> {
  readonly element: HTMLElement;
  readonly #options: RowListOptions<T>;
  readonly #id = `list${++lists}`;
  #content: RowListContent<T> = { rows: [], active: -1, columns: [] };
  /** The rows that were drawn since the content changed. */
  readonly #drawn = new Map<number, DrawnRow>();
  /** The selected row. It moves before the next drawing. */
  #active = -1;
  #ownScroll = -1;
  /** A row to scroll to as soon as the list has a size. */
  #wanted = -1;

  constructor(options: RowListOptions<T>) {
    this.#options = options;
    this.element = element("div", {
      class: `rows ${options.name}`,
      tabindex: "0",
      role: "grid",
      "aria-label": options.label,
    });
    this.element.addEventListener("scroll", () => this.#scrolled(), { passive: true });
    this.element.addEventListener("focus", () => {
      if (this.#active < 0) this.#select(this.#firstVisible(), false);
    });
    new ResizeObserver(() => {
      if (this.#wanted >= 0) this.reveal(this.#wanted);
      this.#draw();
    }).observe(this.element);
  }

  get isAtEnd(): boolean {
    const { scrollTop, clientHeight, scrollHeight } = this.element;
    return scrollTop + clientHeight >= scrollHeight - ROW_PIXELS;
  }

  show(content: RowListContent<T>): void {
    const moved = content.active !== this.#active;
    this.#content = content;
    this.#active = content.active;
    this.#drawn.clear();
    this.element.setAttribute("aria-colcount", String(content.columns.length));
    this.element.setAttribute("aria-rowcount", String(this.#count + 1));
    this.#draw();
    if (!moved || this.#active < 0) return;
    // The list needed its height to scroll.
    this.reveal(this.#active);
    this.#draw();
  }

  reveal(index: number): void {
    const { clientHeight } = this.element;
    this.#wanted = clientHeight === 0 ? index : -1;
    if (clientHeight === 0 || index < 0) return;
    const top = this.#offsetOf(index);
    const room = clientHeight - 2 * ROW_PIXELS;
    const { scrollTop } = this.element;
    if (top < scrollTop) this.#scrollTo(top);
    else if (top > scrollTop + room) this.#scrollTo(Math.max(0, top - Math.floor(room / 2)));
  }

  toEnd(): void {
    this.#scrollTo(this.element.scrollHeight);
  }

  move(step: ListStep): void {
    const page = Math.max(1, Math.floor(this.element.clientHeight / ROW_PIXELS) - 2);
    const from = this.#active < 0 ? this.#firstVisible() - 1 : this.#active;
    // The next step may come before the next drawing.
    this.#active = stepped(step, from, this.#count - 1, page);
    this.reveal(this.#active);
    this.#select(this.#active, false);
  }

  #select(index: number, isOpened: boolean): void {
    const row = index < 0 ? undefined : this.#content.rows.at(index);
    if (row !== undefined) this.#options.onSelect(row, isOpened, index);
  }

  #scrollTo(top: number): void {
    this.element.scrollTop = top;
    this.#ownScroll = this.element.scrollTop;
  }

  #scrolled(): void {
    // Sizes are read first: after the drawing, the browser would have to compute them anew.
    const { isAtEnd } = this;
    const isOwn = Math.abs(this.element.scrollTop - this.#ownScroll) < 2;
    this.#ownScroll = -1;
    this.#draw();
    if (!isOwn) this.#options.onScroll?.(isAtEnd);
  }

  get #count(): number {
    return this.#content.rows.length;
  }

  /** The scale is 1 unless the list is higher than an element can be. */
  get #scale(): number {
    const { clientHeight } = this.element;
    const whole = this.#count * ROW_PIXELS;
    return whole <= MOST_PIXELS ? 1 : (whole - clientHeight) / (MOST_PIXELS - clientHeight);
  }

  #offsetOf(index: number): number {
    return (index * ROW_PIXELS) / this.#scale;
  }

  #firstVisible(): number {
    return Math.floor((this.element.scrollTop * this.#scale) / ROW_PIXELS);
  }

  #draw(): void {
    const { clientHeight, scrollTop } = this.element;
    const size = Math.ceil(clientHeight / ROW_PIXELS) + 2 * SPARE_ROWS;
    const first = Math.max(0, this.#firstVisible() - SPARE_ROWS);
    const last = Math.min(this.#count, first + size);
    // With a scale, rows stand relative to the scroll position and not to the beginning.
    const shift = scrollTop - scrollTop * this.#scale;
    // A row that stays in view keeps its element.
    const rows: unknown[] = Array.from({ length: size }, () => nothing);
    for (let index = first; index < last; index++) rows[index % size] = this.#row(index, shift);
    const active = this.#active < this.#count ? this.#active : -1;
    // Screen readers follow the element of the active row, so it is there although it is out of view.
    const isOut = active >= 0 && (active < first || active >= last);
    render(
      html`<div class="rows-head" role="rowgroup">
          <div class="row heading" role="row" aria-rowindex="1">
            ${this.#content.columns.map(
              ({ title, label = title, name }) =>
                html`<span class=${`cell ${name}`} role="columnheader" aria-label=${label}
                  >${title}</span
                >`,
            )}
          </div>
        </div>
        <div
          class="rows-body"
          role="rowgroup"
          .style=${`height:${Math.min(this.#count * ROW_PIXELS, MOST_PIXELS)}px`}
        >
          ${rows}${isOut ? this.#row(active, shift) : nothing}
        </div>`,
      this.element,
    );
    if (active >= 0) this.element.setAttribute("aria-activedescendant", this.#rowId(active));
    else this.element.removeAttribute("aria-activedescendant");
  }

  #row(index: number, shift: number): TemplateResult | typeof nothing {
    const known = this.#drawn.get(index) ?? this.#rowOf(index);
    if (!known) return nothing;
    this.#drawn.set(index, known);
    const { name = "", kind, dir } = known.marks;
    const isActive = index === this.#active;
    return html`<div
      class=${`row ${name} ${isActive ? "active" : ""}`}
      role="row"
      id=${this.#rowId(index)}
      aria-rowindex=${index + 2}
      aria-selected=${isActive}
      data-kind=${kind ?? nothing}
      data-dir=${dir ?? nothing}
      .style=${`transform:translateY(${index * ROW_PIXELS + shift}px)`}
      @click=${() => this.#select(index, true)}
    >
      ${known.cells}
    </div>`;
  }

  #rowOf(index: number): DrawnRow | undefined {
    const { rows, columns, marks } = this.#content;
    const row = rows.at(index);
    if (row === undefined) return undefined;
    const cells = columns.map(
      ({ name, cell }) => html`<span class=${`cell ${name}`} role="gridcell">${cell(row)}</span>`,
    );
    return { cells, marks: marks?.(row) ?? {} };
  }

  #rowId(index: number): string {
    return `${this.#id}-${index}`;
  }
}

interface DrawnRow {
  readonly cells: readonly TemplateResult[];
  readonly marks: RowMarks;
}

/** Where a step leads from a place in a list; -1 for an empty list. */
export function stepped(step: ListStep, at: number, last: number, page: number): number {
  const to = {
    next: at + 1,
    previous: at - 1,
    pageDown: at + page,
    pageUp: at - page,
    first: 0,
    last,
  }[step];
  return Math.min(last, Math.max(0, to));
}

/** Returns a function that scrolls to the selected element when another frame was selected. */
export function revealer(selector: string): (row: number) => void {
  let last = -1;
  return (row) => {
    if (row === last) return;
    last = row;
    document.querySelector(selector)?.scrollIntoView({ block: "nearest" });
  };
}
