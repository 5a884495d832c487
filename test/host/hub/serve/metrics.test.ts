import { expect, it } from "vitest";
import type { HubEvent } from "../../../../src/host/hub/index.ts";
import { formatMetric, HubMetrics } from "../../../../src/host/hub/serve/metrics.ts";

const facts = {
  hub: { sessions: [], agents: [] },
  connections: { websocket: 2, http: 1 },
  isDraining: false,
};
const session = { agent: "echo", owner: "ada", sessionId: "s" };

function textAfter(...events: readonly HubEvent[]): string {
  const metrics = new HubMetrics();
  for (const event of events) metrics.event(event);
  return metrics.format(facts);
}

it("turns are counted by stop reason, and an invented one does not become a label", () => {
  const text = textAfter(
    { type: "turn_ended", ...session, outcome: "end_turn", ms: 700 },
    { type: "turn_ended", ...session, outcome: "error", ms: 2000 },
    { type: "turn_ended", ...session, outcome: "invented-1", ms: 1 },
    { type: "turn_ended", ...session, outcome: "invented-2", ms: 1 },
  );
  expect(text).toContain('dragoman_turns_total{agent="echo",outcome="end_turn"} 1\n');
  expect(text).toContain('dragoman_turns_total{agent="echo",outcome="other"} 2\n');
  const seconds = text.split("\n").filter((line) => line.includes("turn_duration_seconds_"));
  expect(seconds.map((line) => line.replace("dragoman_turn_duration_seconds_", ""))).toEqual(
    expect.arrayContaining([
      'bucket{le="0.5"} 2',
      'bucket{le="1"} 3',
      'bucket{le="5"} 4',
      'bucket{le="+Inf"} 4',
      "sum 2.702",
      "count 4",
    ]),
  );
  expect(text).not.toContain("invented");
});

it("a restart is a start after the first", () => {
  const started = { type: "agent_started", agent: "echo", owner: "ada", pid: 1, ms: 300 } as const;
  const text = textAfter({ ...started, starts: 1 }, { ...started, starts: 2 });
  expect(text).toContain('dragoman_agent_starts_total{agent="echo"} 2\n');
  expect(text).toContain('dragoman_agent_restarts_total{agent="echo"} 1\n');
  expect(text).toContain('dragoman_agent_start_duration_seconds_bucket{le="0.5"} 2\n');
});

it("every line is a comment or a sample, and owners are not among the labels", () => {
  const text = textAfter(
    { type: "refused", owner: "ada", method: "session/prompt", message: "observers only read" },
    { type: "turn_ended", ...session, outcome: "end_turn", ms: 700 },
  );
  for (const line of text.trimEnd().split("\n")) {
    expect(line).toMatch(/^(?:# (?:HELP|TYPE) \w+ .+|\w+(?:\{(?:\w+="[^"]*",?)+\})? [\d.]+)$/);
  }
  expect(text).not.toContain("ada");
  expect(text).toContain("dragoman_refused_calls_total 1\n");
});

it("labels are escaped as Prometheus expects", () => {
  const samples = [{ labels: { agent: 'a"b\\c\nd' }, value: 1 }];
  expect(formatMetric("m", "gauge", "Help.", samples)).toBe(
    '# HELP m Help.\n# TYPE m gauge\nm{agent="a\\"b\\\\c\\nd"} 1\n',
  );
});
