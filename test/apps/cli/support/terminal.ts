import { columnsOf } from "../../../../src/apps/cli/render/terminal/columns.ts";

const ESCAPE = "\u001b";
/** A link, which shows nothing, a control sequence, or a character. */
const PARTS = new RegExp(
  `${ESCAPE}\\]8;;[\\u0021-\\u007e]*${ESCAPE}\\\\|${ESCAPE}\\[([\\d;]*)([A-Za-z])|([^])`,
  "gu",
);

interface Line {
  cells: string[];
  /** Whether the next line continues this one, because the text was wider than the terminal. */
  isWrapped: boolean;
}

/**
 * A terminal that shows text and understands the control sequences that Dragoman writes. It throws at
 * every other one. When its width changes it breaks its rows anew, as most terminals do.
 */
export class TestTerminal {
  columns: number;
  readonly rows: number;
  #lines: Line[] = [{ cells: [], isWrapped: false }];
  #row = 0;
  #column = 0;

  constructor(columns: number, rows = 1000) {
    this.columns = columns;
    this.rows = rows;
  }

  /** Everything shown so far, without spaces at the ends of rows and blank rows below the cursor. */
  get text(): string {
    const rows = this.#lines.map(({ cells }) => cells.join("").trimEnd());
    const last = rows.findLastIndex((row) => row !== "");
    return rows.slice(0, Math.max(last, this.#row) + 1).join("\n");
  }

  write(text: string): void {
    const parts = text.matchAll(PARTS);
    for (const [all, count = "", name, character] of parts) {
      if (character === undefined) {
        if (name !== undefined) this.#control(name, Math.max(1, Number(count || 1)), all);
      } else this.#character(character);
    }
  }

  resize(columns: number): void {
    const lines: Line[] = [];
    let cursor = { row: 0, column: 0 };
    let line: string[] = [];
    let at: number | undefined;
    for (const [row, { cells, isWrapped }] of this.#lines.entries()) {
      if (row === this.#row) at = line.length + this.#column;
      line.push(...cells);
      if (isWrapped) continue;
      const count = Math.max(1, Math.ceil(line.length / columns));
      if (at !== undefined) {
        const down = Math.min(count - 1, Math.floor(at / columns));
        cursor = { row: lines.length + down, column: at - down * columns };
        at = undefined;
      }
      for (let n = 0; n < count; n++) {
        lines.push({
          cells: line.slice(n * columns, (n + 1) * columns),
          isWrapped: n < count - 1,
        });
      }
      line = [];
    }
    this.#lines = lines;
    this.#row = cursor.row;
    this.#column = cursor.column;
    this.columns = columns;
  }

  #control(name: string, count: number, all: string): void {
    const top = Math.max(0, this.#lines.length - this.rows);
    switch (name) {
      case "m":
        return;
      case "A":
        this.#row = Math.max(top, this.#row - count);
        return;
      case "B":
        this.#row = Math.min(
          Math.max(this.#lines.length - 1, top + this.rows - 1),
          this.#row + count,
        );
        while (this.#lines.length <= this.#row) this.#lines.push({ cells: [], isWrapped: false });
        return;
      case "J":
        this.#line().cells.length = Math.min(this.#line().cells.length, this.#column);
        for (const line of this.#lines.slice(this.#row + 1)) line.cells.length = 0;
        return;
      case "C":
        this.#column = Math.min(this.columns - 1, this.#column + count);
        return;
      case "K":
        this.#line().cells.length = Math.min(this.#line().cells.length, this.#column);
        this.#line().isWrapped = false;
        return;
      default:
        throw new Error(`unknown control sequence ${JSON.stringify(all)}`);
    }
  }

  #character(character: string): void {
    if (character === "\r") this.#column = 0;
    else if (character === "\n") this.#down();
    else if (/\p{Cc}/u.test(character)) throw new Error(`control ${JSON.stringify(character)}`);
    else this.#print(character);
  }

  /** A wide character is followed by an empty cell. */
  #print(character: string): void {
    const width = columnsOf(character);
    if (width === 0) return;
    if (this.#column + width > this.columns) {
      this.#line().isWrapped = true;
      this.#down();
    }
    const { cells } = this.#line();
    while (cells.length < this.#column) cells.push(" ");
    cells.splice(this.#column, width, character, ...Array.from({ length: width - 1 }, () => ""));
    this.#column += width;
  }

  #down(): void {
    this.#row++;
    this.#column = 0;
    while (this.#lines.length <= this.#row) this.#lines.push({ cells: [], isWrapped: false });
  }

  #line(): Line {
    return this.#lines[this.#row] ?? { cells: [], isWrapped: false };
  }
}
