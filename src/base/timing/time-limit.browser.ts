/** Browsers cannot interrupt work: it runs to completion. */
export function withTimeLimit<T>(_what: string, _ms: number, work: () => T): T {
  return work();
}
