import { quietly, randomId } from "../../wire/index.ts";
import type { FleetValues } from "../engine.ts";
import { missingValue } from "../values.ts";

/** Large values in memory. The oldest are dropped above `maxChars`. */
export function memoryValues(maxChars: number): FleetValues {
  const values = new Map<string, string>();
  let chars = 0;
  return {
    put: (text) => {
      const reference = randomId();
      values.set(reference, text);
      chars += text.length;
      for (const [oldest, dropped] of values) {
        if (chars <= maxChars || oldest === reference) break;
        values.delete(oldest);
        chars -= dropped.length;
      }
      return Promise.resolve(reference);
    },
    get: (reference) =>
      quietly(async () => {
        const text = values.get(reference);
        if (text === undefined) throw missingValue(reference);
        return text;
      }),
  };
}
