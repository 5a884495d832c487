import { html, nothing, type TemplateResult } from "lit-html";
import type { TracedUsage } from "../../../../trace/index.ts";
import {
  methodNumbers,
  type MethodNumbers,
  type Sample,
  trafficNumbers,
  type TrafficNumbers,
  turnNumbers,
  type TurnNumbers,
} from "../../numbers.ts";
import { PageView } from "../app.ts";
import { Memo } from "../work.ts";
import { bytes, clock, count, countOf, duration, money, rate, line } from "../parts/format.ts";
import {
  cards,
  empty,
  leftOut,
  link,
  NARROW,
  type Shown,
  table,
  type TableColumn,
} from "../parts/ui.ts";
import type { PageRecording } from "../recording.ts";
import { timeBar } from "../parts/time-bar.ts";

interface AllNumbers {
  readonly methods: readonly MethodNumbers[];
  readonly turns: readonly TurnNumbers[];
  readonly traffic: TrafficNumbers;
}

const MOST_ROWS = 100;
const MOST_POINTS = 400;

/** Latencies, where the time went, tokens and cost. Every figure leads to its frame. */
export class NumbersView extends PageView {
  readonly #memo = new Memo<AllNumbers>();
  #hasTable = false;

  render(recording: PageRecording): TemplateResult {
    const { model } = recording;
    if (model.frames.count === 0) return empty("No numbers yet", "There are no frames to count.");
    const numbers = this.#memo.get(recording, () => ({
      methods: methodNumbers(model),
      turns: turnNumbers(model),
      traffic: trafficNumbers(model),
    }));
    return cards(
      "Numbers",
      html` ${this.#tiles(recording, numbers)} ${this.#turns(recording, numbers.turns)}
      ${this.#usage(model.usage, recording.isTimed)}
      ${this.#methods(numbers.methods, recording.isTimed)}`,
      "cards wide",
    );
  }

  #tiles(recording: PageRecording, { traffic, turns }: AllNumbers): TemplateResult {
    const { model, isTimed } = recording;
    const first = turns.find(({ firstUpdate }) => firstUpdate)?.firstUpdate;
    const silence = turns.reduce<Sample | undefined>(
      (most, { silence: own }) => (own.ms > (most?.ms ?? 0) ? own : most),
      undefined,
    );
    return html`<dl class="tiles">
      ${tile("Frames", count(traffic.frames), `${count(traffic.fromAgent.frames)} from the agent`)}
      ${tile("Bytes", bytes(traffic.bytes), `${bytes(traffic.fromAgent.bytes)} from the agent`)}
      ${tile("Turns", count(model.turns.length), countOf(model.toolCalls.length, "tool call"))}
      ${
        isTimed
          ? html`${tile("Duration", duration(traffic.durationMs), countOf(model.idleGaps.length, "idle time"))}
            ${first ? tile("First update", this.#link(first), "in the first turn") : nothing}
            ${silence ? tile("Longest silence", this.#link(silence), "within a turn") : nothing}
            ${
              traffic.peak.row >= 0
                ? tile(
                    "Peak",
                    this.#rowLink(traffic.peak.row, `${count(traffic.peak.frames)}/s`),
                    "frames in one second",
                  )
                : nothing
            }`
          : nothing
      }
      ${
        traffic.largest >= 0
          ? tile(
              "Largest frame",
              this.#rowLink(traffic.largest, bytes(model.frames.size(traffic.largest))),
              `#${count(traffic.largest + 1)}`,
            )
          : nothing
      }
    </dl>`;
  }

  #turns(recording: PageRecording, turns: readonly TurnNumbers[]): TemplateResult {
    const { model, isTimed } = recording;
    const shown = turns.filter(({ turn }) => {
      const { startMs, endMs } = model.turns[turn] ?? {};
      return startMs !== undefined && this.app.isInRange(startMs, endMs ?? model.lastMs);
    });
    if (shown.length === 0) return html``;
    const timed: readonly TableColumn<TurnNumbers>[] = [
      { title: "Time by cause", cell: ({ time }) => timeBar(time) },
      number("Total", ({ turn, time }) =>
        model.turns[turn]?.endMs === undefined ? "runs" : duration(time.totalMs),
      ),
      number("First update", ({ firstUpdate }) => this.#link(firstUpdate)),
      number("Silence", ({ silence }) => this.#link(silence)),
      number("Chunks/s", ({ chunksPerSecond: value }) =>
        value === undefined ? NONE : rate(value),
      ),
      number("Bytes/s", ({ bytesPerSecond: value }) => (value === undefined ? NONE : bytes(value))),
    ];
    const columns: readonly TableColumn<TurnNumbers>[] = [
      {
        title: "Turn",
        cell: ({ turn }) => this.#rowLink(model.turns[turn]?.prompt ?? -1, count(turn + 1)),
      },
      ...(isTimed ? timed : []),
      number("Tools", ({ toolCalls }) => count(toolCalls)),
      number("Bytes", (turn) => bytes(turn.bytes)),
      ...(shown.some(({ tokens }) => tokens)
        ? [
            number<TurnNumbers>("Tokens in / out", ({ tokens }) =>
              tokens ? `${countOr(tokens.input)} / ${countOr(tokens.output)}` : NONE,
            ),
          ]
        : []),
      ...(shown.some(({ cost }) => cost)
        ? [number<TurnNumbers>("Cost", ({ cost }) => amount(cost))]
        : []),
    ];
    return html`<h3>Turns</h3>
      ${table("Turns", columns, shown.slice(0, MOST_ROWS))}
      ${leftOut(shown.length - MOST_ROWS, "turn", NARROW)}`;
  }

  #methods(methods: readonly MethodNumbers[], isTimed: boolean): TemplateResult {
    const query = ({ method, isRequest }: MethodNumbers): string =>
      `method:${method} kind:${isRequest ? "request" : "notification"}`;
    const requests = (isRequest: boolean, value: number): Shown =>
      isRequest ? html`<span class=${value > 0 ? "bad" : ""}>${count(value)}</span>` : NONE;
    return html`<h3>Methods</h3>
      ${table(
        "Methods",
        [
          {
            title: "Method",
            cell: (row) =>
              link(line(row.method), () => this.app.go({ view: "frames", query: query(row) })),
          },
          { title: "From", cell: ({ direction }) => (direction === "in" ? "agent" : "client") },
          number<MethodNumbers>("Count", (row) => count(row.count)),
          number<MethodNumbers>("Open", ({ isRequest, open }) => requests(isRequest, open)),
          number<MethodNumbers>("Errors", ({ isRequest, errors }) => requests(isRequest, errors)),
          ...(isTimed
            ? (["p50", "p90", "p99", "max"] as const).map((name) =>
                number<MethodNumbers>(name, (row) => this.#link(row[name])),
              )
            : []),
        ],
        methods.slice(0, MOST_ROWS),
      )}
      ${
        isTimed
          ? html`<p class="muted small">
              Times of session/prompt leave out the waits for a person.
            </p>`
          : nothing
      }`;
  }

  #usage(usage: readonly TracedUsage[], isTimed: boolean): TemplateResult {
    const last = usage.at(-1);
    if (!last) return html``;
    const share = last.size > 0 ? `${Math.round((100 * last.used) / last.size)} %` : "";
    const costs = usage.filter(({ cost }) => cost);
    const isDrawn = isTimed && usage.length > 1;
    return html`<h3>Tokens and cost</h3>
      <div class="charts">
        <figure class="chart">
          <figcaption>
            <strong>Context</strong>
            ${this.#rowLink(last.row, `${count(last.used)} of ${count(last.size)} tokens`)}
            <span class="muted">${share}</span>
          </figcaption>
          ${isDrawn ? chart(usage, ({ used }) => used, last.size) : nothing}
        </figure>
        ${
          costs.length > 0
            ? html`<figure class="chart">
                <figcaption>
                  <strong>Cost</strong>
                  ${this.#rowLink(
                    costs.at(-1)?.row ?? -1,
                    money(
                      costs.at(-1)?.cost?.amount ?? 0,
                      line(costs.at(-1)?.cost?.currency ?? ""),
                    ),
                  )}
                </figcaption>
                ${isDrawn ? chart(costs, ({ cost }) => cost?.amount ?? 0, 0) : nothing}
              </figure>`
            : nothing
        }
      </div>
      <details
        @toggle=${() => {
          this.#hasTable = !this.#hasTable;
          this.app.render();
        }}
      >
        <summary>As a table</summary>
        ${this.#usageTable(usage, isTimed)}
      </details>`;
  }

  #usageTable(usage: readonly TracedUsage[], isTimed: boolean): Shown {
    if (!this.#hasTable) return nothing;
    return table(
      "Tokens and cost",
      [
        {
          title: "Time",
          cell: ({ row, ms }) => this.#rowLink(row, isTimed ? clock(ms) : `#${count(row + 1)}`),
        },
        number<TracedUsage>("Used", ({ used }) => count(used)),
        number<TracedUsage>("Size", ({ size }) => count(size)),
        number<TracedUsage>("Cost", ({ cost }) => amount(cost)),
      ],
      usage.slice(-MOST_ROWS),
    );
  }

  #link(figure: Sample | undefined): Shown {
    return figure ? this.#rowLink(figure.row, duration(figure.ms)) : NONE;
  }

  #rowLink(row: number, text: string): TemplateResult {
    return link(text, () => this.app.select(row, { open: true }), `Frame ${count(row + 1)}`);
  }
}

const NONE = "–";

function number<T>(title: string, cell: (row: T) => Shown): TableColumn<T> {
  return { title, isNumber: true, cell };
}

function amount(cost: TracedUsage["cost"]): string {
  return cost ? money(cost.amount, line(cost.currency)) : NONE;
}

function tile(name: string, value: Shown, note: string): TemplateResult {
  return html`<div class="tile">
    <dt>${name}</dt>
    <dd class="figure">${value}</dd>
    <dd class="muted small">${note}</dd>
  </div>`;
}

function countOr(value: number | undefined): string {
  return value === undefined ? NONE : count(value);
}

const WIDE = 600;
const TALL = 120;

/** A line over time. The table beside it has the same data. */
function chart(
  usage: readonly TracedUsage[],
  valueOf: (report: TracedUsage) => number,
  limit: number,
): TemplateResult {
  const step = Math.ceil(usage.length / MOST_POINTS);
  const points = usage.filter((_, index) => index % step === 0 || index === usage.length - 1);
  const start = points[0]?.ms ?? 0;
  const span = Math.max((points.at(-1)?.ms ?? 0) - start, 1);
  const most = Math.max(limit, ...points.map((point) => valueOf(point)), 1e-9);
  const place = (point: TracedUsage): readonly [number, number] => [
    ((point.ms - start) / span) * WIDE,
    TALL - (valueOf(point) / most) * (TALL - 6),
  ];
  const path = points
    .map((point, index) => {
      const [x, y] = place(point).map((at) => at.toFixed(1));
      return index === 0 ? `M${x} ${y}` : `H${x}V${y}`;
    })
    .join("");
  return html`<svg
    class="line-chart"
    viewBox="0 0 600 120"
    preserveAspectRatio="none"
    aria-hidden="true"
  >
    <path class="area" d=${`${path}V${TALL}H0Z`} />
    <path class="stroke" d=${path} />
  </svg>`;
}
