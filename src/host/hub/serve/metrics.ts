/** The labels of one series. */
export type MetricLabels = Readonly<Record<string, string>>;

/** One line of a metric. */
interface Sample {
  readonly suffix?: string;
  readonly labels?: MetricLabels;
  readonly value: number;
}

/** Pure: a metric in the text format of Prometheus, with its help and its type. */
export function formatMetric(
  name: string,
  type: "counter" | "gauge" | "histogram",
  help: string,
  samples: readonly Sample[],
): string {
  const lines = samples.map(
    ({ suffix = "", labels, value }) => `${name}${suffix}${formatLabels(labels)} ${value}\n`,
  );
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join("")}`;
}

function formatLabels(labels: MetricLabels = {}): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`);
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
}

function escaped(value: string): string {
  return value
    .replaceAll("\\", "\\\\")
    .replaceAll('"', String.raw`\"`)
    .replaceAll("\n", "\\n");
}

/** Counts by label. The callers take their labels from short lists. */
export class Counter {
  readonly #counts = new Map<string, { readonly labels: MetricLabels; value: number }>();

  add(labels: MetricLabels = {}): void {
    const key = JSON.stringify(labels);
    const found = this.#counts.get(key);
    if (found) found.value++;
    else this.#counts.set(key, { labels, value: 1 });
  }

  format(name: string, help: string): string {
    return formatMetric(name, "counter", help, [...this.#counts.values()]);
  }
}

/** How often values fell below each of some bounds. */
export class Histogram {
  readonly #bounds: readonly number[];
  readonly #counts: number[];
  #sum = 0;
  #count = 0;

  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
    this.#counts = bounds.map(() => 0);
  }

  observe(value: number): void {
    this.#sum += value;
    this.#count++;
    const index = this.#bounds.findIndex((bound) => value <= bound);
    if (index !== -1) this.#counts[index] = (this.#counts[index] ?? 0) + 1;
  }

  format(name: string, help: string): string {
    let below = 0;
    const buckets = this.#bounds.map((bound, index) => {
      below += this.#counts[index] ?? 0;
      return { suffix: "_bucket", labels: { le: String(bound) }, value: below };
    });
    return formatMetric(name, "histogram", help, [
      ...buckets,
      { suffix: "_bucket", labels: { le: "+Inf" }, value: this.#count },
      { suffix: "_sum", value: this.#sum },
      { suffix: "_count", value: this.#count },
    ]);
  }
}
