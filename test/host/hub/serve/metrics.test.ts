import { expect, it } from "vitest";
import { Counter, formatMetric, Histogram } from "../../../../src/host/hub/serve/metrics.ts";

it("labels are escaped as Prometheus expects", () => {
  const samples = [{ labels: { agent: 'a"b\\c\nd' }, value: 1 }];
  expect(formatMetric("m", "gauge", "Help.", samples)).toBe(
    '# HELP m Help.\n# TYPE m gauge\nm{agent="a\\"b\\\\c\\nd"} 1\n',
  );
});

it("a counter counts by its labels", () => {
  const counter = new Counter();
  counter.add({ outcome: "end_turn" });
  counter.add({ outcome: "error" });
  counter.add({ outcome: "end_turn" });
  expect(counter.format("turns_total", "Turns.")).toBe(
    '# HELP turns_total Turns.\n# TYPE turns_total counter\nturns_total{outcome="end_turn"} 2\nturns_total{outcome="error"} 1\n',
  );
});

it("a histogram counts values up to each bound", () => {
  const histogram = new Histogram([1, 5]);
  for (const value of [0.5, 1, 3, 60]) histogram.observe(value);
  expect(histogram.format("s", "Seconds.").split("\n").slice(2, -1)).toEqual([
    's_bucket{le="1"} 2',
    's_bucket{le="5"} 3',
    's_bucket{le="+Inf"} 4',
    "s_sum 64.5",
    "s_count 4",
  ]);
});
