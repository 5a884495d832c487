import type { ListStep } from "../app.ts";
import { element, stepped } from "./ui.ts";

/** A column of a list. */
export interface RowColumn {
  /** The heading; empty for a column of marks. */
  readonly title: string;
  /** The heading for screen readers. Default: the title. */
  readonly label?: string | undefined;
  /** The class of its cells. */
  readonly name: string;
}

/** The content of a list. */
export interface RowListOptions {
  readonly label: string;
  /** The class of the list, which sets the widths of its columns. */
  readonly name: string;
  readonly columns: readonly RowColumn[];
  /** Fills the cells of a row. */
  readonly fill: (cells: readonly HTMLElement[], index: number, row: HTMLElement) => void;
  /** The user moved to a row, or opened it. */
  readonly onSelect: (index: number, isOpened: boolean) => void;
  /** The user scrolled; `isAtEnd` if the last row is in view. */
  readonly onScroll?: ((isAtEnd: boolean) => void) | undefined;
}

/** Elements cannot be higher than 33,554,428 pixels in Chromium. */
const MOST_PIXELS = 30_000_000;
const ROW_PIXELS = 28;
/** Rows drawn beyond the visible ones on either side. */
const SPARE_ROWS = 6;

let lists = 0;

interface DrawnRow {
  readonly element: HTMLElement;
  readonly cells: readonly HTMLElement[];
  index: number;
}

/**
 * A list of any number of rows of the same height. Only the visible rows are elements, and they are used again.
 * The list is one stop for the tab key, and the arrow keys move its active row.
 */
export class RowList {
  readonly element: HTMLElement;
  readonly #options: RowListOptions;
  readonly #id = `list${++lists}`;
  readonly #body: HTMLElement;
  readonly #rows: DrawnRow[] = [];
  /** The active row while it is out of view, because screen readers follow its element. */
  readonly #kept: DrawnRow;
  #count = 0;
  #active = -1;
  #drawnAll = false;
  #ownScroll = -1;
  /** A row to scroll to as soon as the list has a size. */
  #wanted = -1;

  constructor(options: RowListOptions) {
    this.#options = options;
    this.element = element("div", {
      class: `rows ${options.name}`,
      tabindex: "0",
      role: "grid",
      "aria-label": options.label,
      "aria-colcount": String(options.columns.length),
    });
    this.#body = element("div", { class: "rows-body", role: "rowgroup" });
    this.element.append(this.#heading(), this.#body);
    this.#kept = this.#create();
    this.#kept.element.classList.add("kept");
    this.element.addEventListener("scroll", () => this.#scrolled(), { passive: true });
    this.element.addEventListener("click", (event) => this.#clicked(event));
    this.element.addEventListener("focus", () => {
      if (this.#active < 0 && this.#count > 0) options.onSelect(this.#firstVisible(), false);
    });
    new ResizeObserver(() => {
      if (this.#wanted >= 0) this.reveal(this.#wanted);
      this.#draw(false);
    }).observe(this.element);
  }

  /** Whether the last row is in view. */
  get isAtEnd(): boolean {
    const { scrollTop, clientHeight, scrollHeight } = this.element;
    return scrollTop + clientHeight >= scrollHeight - ROW_PIXELS;
  }

  /** Draws the rows again. `active` is the selected row; -1 for none. */
  update(count: number, active: number): void {
    if (count !== this.#count) {
      this.#count = count;
      this.element.setAttribute("aria-rowcount", String(count + 1));
      this.#body.style.height = `${Math.min(count * ROW_PIXELS, MOST_PIXELS)}px`;
    }
    const moved = active !== this.#active;
    this.#active = active;
    if (moved && active >= 0) this.reveal(active);
    this.#draw(true);
  }

  /** Scrolls so that a row is in view. */
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

  /** Scrolls to the last row. */
  toEnd(): void {
    this.#scrollTo(this.element.scrollHeight);
  }

  /** Makes the row active that a step leads to, and returns it. The next step may come before the next drawing. */
  stepped(step: ListStep): number {
    const page = Math.max(1, Math.floor(this.element.clientHeight / ROW_PIXELS) - 2);
    const from = this.#active < 0 ? this.#firstVisible() - 1 : this.#active;
    this.#active = stepped(step, from, this.#count - 1, page);
    this.reveal(this.#active);
    return this.#active;
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
    this.#draw(false);
    if (!isOwn) this.#options.onScroll?.(isAtEnd);
  }

  #clicked({ target }: Event): void {
    if (!(target instanceof Element) || target.closest("button, a")) return;
    const row = target.closest<HTMLElement>("[data-index]");
    if (row) this.#options.onSelect(Number(row.dataset["index"]), true);
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

  #draw(isChanged: boolean): void {
    const { clientHeight, scrollTop } = this.element;
    const visible = Math.ceil(clientHeight / ROW_PIXELS) + 2 * SPARE_ROWS;
    while (this.#rows.length < visible) this.#rows.push(this.#create());
    const first = Math.max(0, this.#firstVisible() - SPARE_ROWS);
    const last = Math.min(this.#count, first + visible);
    // With a scale, rows stand relative to the scroll position and not to the beginning.
    const shift = scrollTop - scrollTop * this.#scale;
    this.#drawnAll = isChanged;
    const size = this.#rows.length;
    for (let index = first; index < first + size; index++) {
      const row = this.#rows[index % size];
      if (row) this.#place(row, index < last ? index : -1, shift);
    }
    const isOut = this.#active >= 0 && (this.#active < first || this.#active >= last);
    this.#place(this.#kept, isOut && this.#active < this.#count ? this.#active : -1, shift);
    if (this.#active >= 0 && this.#active < this.#count)
      this.element.setAttribute("aria-activedescendant", this.#rowId(this.#active));
    else this.element.removeAttribute("aria-activedescendant");
  }

  #place(row: DrawnRow, index: number, shift: number): void {
    const { element: shown, cells } = row;
    const isNew = row.index !== index;
    row.index = index;
    shown.hidden = index < 0;
    const isActive = index >= 0 && index === this.#active;
    shown.classList.toggle("active", isActive);
    if (index < 0) {
      shown.removeAttribute("id");
      return;
    }
    shown.style.transform = `translateY(${index * ROW_PIXELS + shift}px)`;
    shown.setAttribute("aria-selected", String(isActive));
    if (!isNew && !this.#drawnAll) return;
    shown.id = this.#rowId(index);
    shown.dataset["index"] = String(index);
    shown.setAttribute("aria-rowindex", String(index + 2));
    this.#options.fill(cells, index, shown);
  }

  #rowId(index: number): string {
    return `${this.#id}-${index}`;
  }

  #create(): DrawnRow {
    const row = element("div", { class: "row", role: "row", hidden: "" });
    const cells = this.#options.columns.map(({ name }) =>
      element("span", { class: `cell ${name}`, role: "gridcell" }),
    );
    row.append(...cells);
    this.#body.append(row);
    return { element: row, cells, index: -1 };
  }

  #heading(): HTMLElement {
    const row = element("div", { class: "row heading", role: "row", "aria-rowindex": "1" });
    for (const { title, label = title, name } of this.#options.columns) {
      const cell = element("span", {
        class: `cell ${name}`,
        role: "columnheader",
        "aria-label": label,
      });
      cell.textContent = title;
      row.append(cell);
    }
    const group = element("div", { class: "rows-head", role: "rowgroup" });
    group.append(row);
    return group;
  }
}
