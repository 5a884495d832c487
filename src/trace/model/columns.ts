type Numbers = Float64Array | Int32Array | Uint16Array | Uint8Array;

const FIRST_CAPACITY = 256;

/** A column of numbers that grows. Each number takes only the bytes of its type. */
export class Column {
  readonly #make: (capacity: number) => Numbers;
  #data: Numbers;
  #count = 0;

  /** `make` creates a typed array, such as `(size) => new Int32Array(size)`. */
  constructor(make: (capacity: number) => Numbers) {
    this.#make = make;
    this.#data = make(FIRST_CAPACITY);
  }

  get count(): number {
    return this.#count;
  }

  push(value: number): void {
    if (this.#count === this.#data.length) {
      const grown = this.#make(2 * this.#count);
      grown.set(this.#data);
      this.#data = grown;
    }
    this.#data[this.#count++] = value;
  }

  /** The number in a row; NaN if there is no such row. */
  get(row: number): number {
    return row < this.#count ? (this.#data[row] ?? Number.NaN) : Number.NaN;
  }

  set(row: number, value: number): void {
    if (row < this.#count) this.#data[row] = value;
  }
}

/** A column of 32-bit integers. -1 stands for nothing. */
export const int32 = (): Column => new Column((size) => new Int32Array(size));
/** A column of 64-bit floating-point numbers. */
export const float64 = (): Column => new Column((size) => new Float64Array(size));
/** A column of integers up to 65,535. */
export const uint16 = (): Column => new Column((size) => new Uint16Array(size));
/** A column of integers up to 255. */
export const uint8 = (): Column => new Column((size) => new Uint8Array(size));

/** Gives each different text a small number. The empty text is 0. */
export class TextTable {
  readonly #numbers = new Map<string, number>([["", 0]]);
  readonly #texts: string[] = [""];
  readonly #limit: number;

  /** Texts beyond the limit are all stored as `…`, so that hostile names cannot fill the memory. */
  constructor(limit = Number.POSITIVE_INFINITY) {
    this.#limit = limit;
  }

  get texts(): readonly string[] {
    return this.#texts;
  }

  /** The number of a text, which is added if it is new. */
  add(text: string): number {
    const known = this.#numbers.get(text);
    if (known !== undefined) return known;
    if (this.#texts.length >= this.#limit && text !== "…") return this.add("…");
    const number = this.#texts.push(text) - 1;
    this.#numbers.set(text, number);
    return number;
  }

  /** The text of a number. */
  text(number: number): string {
    return this.#texts[number] ?? "";
  }
}
