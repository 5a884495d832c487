/** How much a {@link BoundedMap} keeps. */
export interface KeepRules<V> {
  /** The most entries. */
  readonly count: number;
  /** The most characters in all entries together, roughly. */
  readonly chars: number;
  /** Roughly how many characters an entry takes. */
  readonly weigh: (value: V) => number;
  /** Whether an entry is over, so that it goes before those that are not. Default: always. */
  readonly isOver?: (value: V) => boolean;
  /** The useful rest of an entry that is over; the value itself if nothing can be removed. */
  readonly trim?: (value: V) => V;
}

/** Above a limit, entries go until this share is left, so that the search for them stays cheap. */
const LEFT_SHARE = 0.75;

/**
 * A map that stays within limits, no matter what is put into it. Above the limit of characters, the oldest
 * entries that are over are trimmed. If that is not enough, and above the limit of entries, the oldest
 * are dropped: first those that are over, then any. The entry that was set last always stays as it is.
 */
export class BoundedMap<V> extends Map<string, V> {
  readonly #rules: KeepRules<V>;
  readonly #weights = new Map<string, number>();
  #weight = 0;

  constructor(rules: KeepRules<V>) {
    super();
    this.#rules = rules;
  }

  override set(key: string, value: V): this {
    this.#put(key, value);
    if (this.size > this.#rules.count || this.#weight > this.#rules.chars) this.#shrink(key);
    return this;
  }

  override delete(key: string): boolean {
    this.#weight -= this.#weights.get(key) ?? 0;
    this.#weights.delete(key);
    return super.delete(key);
  }

  override clear(): void {
    this.#weight = 0;
    this.#weights.clear();
    super.clear();
  }

  #put(key: string, value: V): void {
    const weight = key.length + this.#rules.weigh(value);
    this.#weight += weight - (this.#weights.get(key) ?? 0);
    this.#weights.set(key, weight);
    super.set(key, value);
  }

  #shrink(newest: string): void {
    const { count, chars, isOver = () => true, trim } = this.#rules;
    const most = {
      count: this.size > count ? count * LEFT_SHARE : count,
      chars: this.#weight > chars ? chars * LEFT_SHARE : chars,
    };
    const others = [...this].filter(([key]) => key !== newest);
    if (trim) {
      for (const [key, value] of others) {
        if (this.#weight <= most.chars) break;
        const rest = isOver(value) ? trim(value) : value;
        if (rest !== value) this.#put(key, rest);
      }
    }
    const over = others.filter(([, value]) => isOver(value));
    for (const [key] of [...over, ...others]) {
      if (this.size <= most.count && this.#weight <= most.chars) return;
      this.delete(key);
    }
  }
}

/** The weight of a number, a key or a bracket, in addition to characters. */
const NODE_CHARS = 16;

const weights = new WeakMap<object, number>();

/** Roughly how many characters a JSON value takes. Remembered, so the value must not change. */
export function weightOf(value: unknown): number {
  if (typeof value !== "object" || value === null) return ownWeight(value);
  const known = weights.get(value);
  if (known !== undefined) return known;
  let weight = 0;
  const left: unknown[] = [value];
  while (left.length > 0) {
    const next = left.pop();
    weight += ownWeight(next);
    if (typeof next !== "object" || next === null) continue;
    if (Array.isArray(next)) for (const child of next) left.push(child);
    else
      for (const [key, child] of Object.entries(next)) {
        weight += key.length;
        left.push(child);
      }
  }
  weights.set(value, weight);
  return weight;
}

function ownWeight(value: unknown): number {
  return typeof value === "string" ? NODE_CHARS + value.length : NODE_CHARS;
}
