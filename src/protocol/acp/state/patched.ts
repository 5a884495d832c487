/** Partial updates: `undefined` keeps the value, `null` clears it. */
export function patched<T>(current: T | undefined, next: T | null | undefined): T | undefined {
  if (next === undefined) return current;
  return next ?? undefined;
}
