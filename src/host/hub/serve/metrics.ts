import { STOP_REASONS } from "../../../protocol/acp/index.ts";
import type { HubEvent } from "../events.ts";
import type { Hub, HubAgentInfo } from "../options.ts";

export type MetricLabels = Readonly<Record<string, string>>;

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

/** Pure: a metric with one value. */
export function gauge(name: string, help: string, value: number): string {
  return formatMetric(name, "gauge", help, [{ value }]);
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
class Histogram {
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

const TURN_SECONDS = [0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1800, 3600];
const START_SECONDS = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
const STATES: readonly HubAgentInfo["state"][] = [
  "starting",
  "running",
  "resting",
  "waiting",
  "failed",
];
const OUTCOMES: ReadonlySet<string> = /* @__PURE__ */ new Set([...STOP_REASONS, "error"]);

/** The facts of a hub and its server that are not in their events. */
export interface MetricFacts {
  readonly hub: Pick<Hub, "sessions" | "agents">;
  /** The connections that are open, by transport. */
  readonly connections: Readonly<Record<"websocket" | "http", number>>;
  readonly isDraining: boolean;
}

/** Counts the events of a hub and its server. Labels come from short lists, so the memory is bounded. */
export class HubMetrics {
  readonly #connections = new Counter();
  readonly #turns = new Counter();
  readonly #starts = new Counter();
  readonly #startFailures = new Counter();
  readonly #restarts = new Counter();
  readonly #ends = new Counter();
  readonly #refusedRequests = new Counter();
  readonly #refusedCalls = new Counter();
  readonly #reopened = new Counter();
  readonly #lost = new Counter();
  readonly #turnSeconds = new Histogram(TURN_SECONDS);
  readonly #startSeconds = new Histogram(START_SECONDS);

  connected(transport: "websocket" | "http"): void {
    this.#connections.add({ transport });
  }

  /** A request or an upgrade was answered with this status. */
  refused(status: number): void {
    this.#refusedRequests.add({ status: String(status) });
  }

  event(event: HubEvent): void {
    switch (event.type) {
      case "agent_started":
        this.#starts.add({ agent: event.agent });
        if (event.starts > 1) this.#restarts.add({ agent: event.agent });
        return this.#startSeconds.observe(event.ms / 1000);
      case "agent_start_failed":
        return this.#startFailures.add({ agent: event.agent });
      case "agent_ended":
        return this.#ends.add({ agent: event.agent, cause: event.cause });
      case "session_reopened":
        return this.#reopened.add({ agent: event.agent });
      case "session_lost":
        return this.#lost.add({ agent: event.agent });
      case "turn_ended":
        // An agent may invent stop reasons.
        this.#turns.add({
          agent: event.agent,
          outcome: OUTCOMES.has(event.outcome) ? event.outcome : "other",
        });
        return this.#turnSeconds.observe(event.ms / 1000);
      case "refused":
        return this.#refusedCalls.add();
      case "client_connected":
      case "client_left":
      case "client_attached":
      case "session_opened":
      case "session_closed":
      case "turn_started":
      case "answered":
        return undefined;
    }
  }

  /** Everything, in the text format of Prometheus. */
  format({ hub, connections, isDraining }: MetricFacts): string {
    const { sessions, agents } = hub;
    return [
      formatMetric("dragoman_connections", "gauge", "Open connections of clients.", [
        { labels: { transport: "websocket" }, value: connections.websocket },
        { labels: { transport: "http" }, value: connections.http },
      ]),
      this.#connections.format("dragoman_connections_total", "Connections that were accepted."),
      gauge("dragoman_sessions", "Sessions that are open.", sessions.length),
      gauge(
        "dragoman_turns_running",
        "Sessions in which a turn is running.",
        sessions.filter(({ isBusy }) => isBusy).length,
      ),
      gauge(
        "dragoman_prompts_queued",
        "Prompts that wait for a turn.",
        sessions.reduce((sum, { queued }) => sum + queued, 0),
      ),
      this.#turns.format("dragoman_turns_total", "Turns that ended, by their stop reason."),
      this.#turnSeconds.format("dragoman_turn_duration_seconds", "How long turns took."),
      formatMetric(
        "dragoman_agents",
        "gauge",
        "Agents, by their state.",
        STATES.map((state) => ({
          labels: { state },
          value: agents.filter((agent) => agent.state === state).length,
        })),
      ),
      this.#starts.format("dragoman_agent_starts_total", "Processes of agents that were started."),
      this.#restarts.format("dragoman_agent_restarts_total", "Starts after the first one."),
      this.#startFailures.format("dragoman_agent_start_failures_total", "Starts that failed."),
      this.#ends.format("dragoman_agent_ends_total", "Processes of agents that ended, by cause."),
      this.#startSeconds.format(
        "dragoman_agent_start_duration_seconds",
        "How long agents took to start.",
      ),
      this.#reopened.format("dragoman_sessions_reopened_total", "Sessions that a restart kept."),
      this.#lost.format("dragoman_sessions_lost_total", "Sessions that a restart lost."),
      this.#refusedRequests.format(
        "dragoman_refused_requests_total",
        "HTTP requests and upgrades that were refused, by status.",
      ),
      this.#refusedCalls.format("dragoman_refused_calls_total", "Messages that were not allowed."),
      gauge("dragoman_draining", "1 while no new turns are accepted.", isDraining ? 1 : 0),
    ].join("");
  }
}
