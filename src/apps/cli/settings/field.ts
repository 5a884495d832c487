import { isJsonObject, type JsonObject, nearest } from "../../../base/index.ts";
import { usageError } from "../shell/exit.ts";

/** A field of a settings file that Dragoman does not know. */
export interface UnknownField {
  /** Its path, such as `agent_servers.mine.arg`. */
  readonly field: string;
  readonly near: string | undefined;
}

/** A field in a settings file with its value, which names itself in errors. */
export class Field {
  readonly value: unknown;
  readonly #file: string;
  readonly #path: string;
  readonly unknown: UnknownField[];

  /** The whole file has an empty path. All its fields share `unknown`. */
  constructor(file: string, value: unknown, path = "", unknown: UnknownField[] = []) {
    this.value = value;
    this.#file = file;
    this.#path = path;
    this.unknown = unknown;
  }

  /** Records this field as one that is not known, without a suggestion. */
  ignore(): void {
    this.unknown.push({ field: this.#path, near: undefined });
  }

  /** Records the fields of this object that are not known. */
  expect(known: readonly string[]): void {
    for (const key of Object.keys(this.object())) {
      if (known.includes(key)) continue;
      this.unknown.push({ field: this.in(key).#path, near: nearest(key, known) });
    }
  }

  in(key: string): Field {
    const plain = /^[\w-]+$/.test(key) ? key : JSON.stringify(key);
    const value = isJsonObject(this.value) ? this.value[key] : undefined;
    return this.#at(this.#path === "" ? plain : `${this.#path}.${plain}`, value);
  }

  /** The fields of this object, if it is given. */
  entries(): readonly (readonly [string, Field])[] {
    if (this.value === undefined) return [];
    return Object.keys(this.object()).map((key) => [key, this.in(key)]);
  }

  /** The items of this array, if it is given. */
  items(what = "an array"): readonly Field[] {
    if (this.value === undefined) return [];
    if (!Array.isArray(this.value)) return this.fail(`must be ${what}`);
    const items: readonly unknown[] = this.value;
    return items.map((item, index) => this.#at(`${this.#path}[${index}]`, item));
  }

  #at(path: string, value: unknown): Field {
    return new Field(this.#file, value, path, this.unknown);
  }

  fail(problem: string): never {
    throw usageError(
      `${this.#file}: ${this.#path === "" ? "the top level" : this.#path} ${problem}`,
    );
  }

  optional<T>(read: (field: Field) => T): T | undefined {
    return this.value === undefined ? undefined : read(this);
  }

  object(what = "an object"): JsonObject {
    if (isJsonObject(this.value)) return this.value;
    return this.fail(this.value === undefined ? "is missing" : `must be ${what}`);
  }

  text(): string {
    if (this.value === undefined) return this.fail("is missing");
    return this.line().trim() === "" ? this.fail("is empty") : this.line();
  }

  texts(): readonly string[] {
    return this.items("an array of strings").map((item) => item.line());
  }

  map(): Readonly<Record<string, string>> {
    if (this.value !== undefined) this.object("an object of strings");
    return Object.fromEntries(this.entries().map(([key, field]) => [key, field.line()]));
  }

  /** A string, which may be empty. */
  line(): string {
    return typeof this.value === "string" ? this.value : this.fail("must be a string");
  }

  yesOrNo(): boolean {
    return typeof this.value === "boolean" ? this.value : this.fail("must be true or false");
  }

  oneOf<T extends string>(words: readonly T[]): T {
    const word = words.find((candidate) => candidate === this.value);
    return word ?? this.fail(`must be one of ${words.join(", ")}`);
  }
}
