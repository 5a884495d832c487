import { randomId } from "../../../base/index.ts";
import type { FleetValues } from "../engine.ts";
import { missingValue } from "../values.ts";
import { whileOpen } from "./open.ts";

/** The large values of a fleet in memory. The oldest are dropped above `maxChars`. */
export class MemoryValues {
  readonly #maxChars: number;
  readonly #values = new Map<string, string>();
  #chars = 0;

  constructor(maxChars: number) {
    this.#maxChars = maxChars;
  }

  put(text: string): string {
    const reference = randomId();
    this.#values.set(reference, text);
    this.#chars += text.length;
    for (const [oldest, dropped] of this.#values) {
      if (this.#chars <= this.#maxChars || oldest === reference) break;
      this.#values.delete(oldest);
      this.#chars -= dropped.length;
    }
    return reference;
  }

  get(reference: string): string {
    const text = this.#values.get(reference);
    if (text === undefined) throw missingValue(reference);
    return text;
  }
}

/** The values as one connection sees them. */
export function memoryValues(values: MemoryValues, closed: AbortSignal): FleetValues {
  return {
    put: (text) => whileOpen(closed, () => values.put(text)),
    get: (reference) => whileOpen(closed, () => values.get(reference)),
  };
}
