import { isJsonObject, type JsonObject } from "../../../base/index.ts";
import { nearest } from "../shell/suggest.ts";
import { usageError } from "../shell/exit.ts";

/** A field of a settings file that Dragoman does not know. */
export interface UnknownField {
  /** Its path, such as `agent_servers.mine.arg`. */
  readonly field: string;
  readonly near: string | undefined;
}

/** A field in a settings file, which names itself in errors. */
export class Field {
  readonly #file: string;
  readonly #path: string;
  readonly unknown: UnknownField[];

  constructor(file: string, path: string, unknown: UnknownField[]) {
    this.#file = file;
    this.#path = path;
    this.unknown = unknown;
  }

  /** Records this field as one that is not known, without a suggestion. */
  ignore(): void {
    this.unknown.push({ field: this.#path, near: undefined });
  }

  /** Records the fields of an object that are not known. */
  expect(value: JsonObject, known: readonly string[]): void {
    for (const key of Object.keys(value)) {
      if (known.includes(key)) continue;
      this.unknown.push({ field: this.in(key).#path, near: nearest(key, known) });
    }
  }

  in(key: string): Field {
    const plain = /^[\w-]+$/.test(key) ? key : JSON.stringify(key);
    return this.#at(this.#path === "" ? plain : `${this.#path}.${plain}`);
  }

  index(index: number): Field {
    return this.#at(`${this.#path}[${index}]`);
  }

  #at(path: string): Field {
    return new Field(this.#file, path, this.unknown);
  }

  fail(problem: string): never {
    throw usageError(
      `${this.#file}: ${this.#path === "" ? "the top level" : this.#path} ${problem}`,
    );
  }

  object(value: unknown): JsonObject {
    return isJsonObject(value)
      ? value
      : this.fail(value === undefined ? "is missing" : "must be an object");
  }

  text(value: unknown): string {
    if (value === undefined) return this.fail("is missing");
    if (typeof value !== "string") return this.fail("must be a string");
    return value.trim() === "" ? this.fail("is empty") : value;
  }

  texts(value: unknown): readonly string[] {
    if (value === undefined) return [];
    if (!Array.isArray(value)) return this.fail("must be an array of strings");
    const items: readonly unknown[] = value;
    return items.map((item, index) =>
      typeof item === "string" ? item : this.index(index).fail("must be a string"),
    );
  }

  map(value: unknown): Readonly<Record<string, string>> {
    if (value === undefined) return {};
    if (!isJsonObject(value)) return this.fail("must be an object of strings");
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [
        key,
        typeof item === "string" ? item : this.in(key).fail("must be a string"),
      ]),
    );
  }

  /** A string, which may be empty. */
  line(value: unknown): string {
    return typeof value === "string" ? value : this.fail("must be a string");
  }

  yesOrNo(value: unknown): boolean {
    return typeof value === "boolean" ? value : this.fail("must be true or false");
  }

  oneOf<T extends string>(value: unknown, words: readonly T[]): T {
    const word = words.find((candidate) => candidate === value);
    return word ?? this.fail(`must be one of ${words.join(", ")}`);
  }
}
