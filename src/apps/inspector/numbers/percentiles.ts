/** A figure, and the frame that it comes from. */
export interface Figure {
  readonly ms: number;
  /** The row of the frame. */
  readonly row: number;
}

/** The figure below which a share of all figures is, by the nearest rank. The list must be sorted. */
export function percentile(sorted: readonly Figure[], share: number): Figure | undefined {
  if (sorted.length === 0) return undefined;
  return sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)];
}
