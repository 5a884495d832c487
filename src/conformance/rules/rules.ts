import type { Rule } from "./rule.ts";

/** The passive rules of a version, for both sides. */
export function rulesOf(protocol: 1 | 2): readonly Rule[] {
  return protocol === 1 ? [] : [];
}
