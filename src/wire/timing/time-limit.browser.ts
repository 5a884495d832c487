/** Browsers cannot stop work: it runs until its end. */
export function withTimeLimit<T>(_what: string, _ms: number, work: () => T): T {
  return work();
}
