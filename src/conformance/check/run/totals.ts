import type { PassiveResult, SeenViolation } from "./passive.ts";

/** The passive results of a whole run. */
export class PassiveTotals {
  readonly #judged = new Map<string, number>();
  readonly #confirmed = new Map<string, SeenViolation>();
  readonly #unconfirmed = new Map<string, SeenViolation>();

  /** Adds the first run of a case. Returns the ids of violations that are not confirmed yet. */
  add({ judged, violations }: PassiveResult): readonly string[] {
    for (const [id, count] of judged) this.#judged.set(id, (this.#judged.get(id) ?? 0) + count);
    for (const violation of violations) {
      if (!this.#unconfirmed.has(violation.id)) this.#unconfirmed.set(violation.id, violation);
    }
    const ids = new Set(violations.map(({ id }) => id));
    return [...ids].filter((id) => !this.#confirmed.has(id));
  }

  /** Adds the repetition of a case in a fresh process. */
  repeated({ violations }: PassiveResult): void {
    for (const violation of violations) {
      if (!this.#confirmed.has(violation.id)) this.#confirmed.set(violation.id, violation);
    }
  }

  /** How often a requirement was judged. */
  judged(id: string): number {
    return this.#judged.get(id) ?? 0;
  }

  /** The violation of a requirement, and whether a repetition showed it again. */
  violation(
    id: string,
  ): { readonly violation: SeenViolation; readonly isConfirmed: boolean } | undefined {
    const confirmed = this.#confirmed.get(id);
    if (confirmed) return { violation: confirmed, isConfirmed: true };
    const violation = this.#unconfirmed.get(id);
    return violation && { violation, isConfirmed: false };
  }
}
