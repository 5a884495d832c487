import { html, nothing, svg, type TemplateResult } from "lit-html";
import type { TracedUsage } from "../../model/traced.ts";
import { methodNumbers, type MethodNumbers } from "../../numbers/methods.ts";
import type { Figure } from "../../numbers/percentiles.ts";
import { trafficNumbers, type TrafficNumbers } from "../../numbers/traffic.ts";
import { turnNumbers, type TurnNumbers } from "../../numbers/turns.ts";
import type { App, PageView } from "../app.ts";
import { Memo } from "../memo.ts";
import { bytes, clock, count, counted, duration, money, rate } from "../parts/format.ts";
import { line } from "../parts/text.ts";
import { timeBar } from "../parts/time-bar.ts";
import type { PageRecording } from "../recording.ts";

interface AllNumbers {
  readonly methods: readonly MethodNumbers[];
  readonly turns: readonly TurnNumbers[];
  readonly traffic: TrafficNumbers;
}

/** The most turns that are listed. */
const MOST_TURNS = 200;
/** The most points of a chart. */
const MOST_POINTS = 400;

/** Latencies, where the time went, tokens and cost. Every figure leads to its frame. */
export class NumbersView implements PageView {
  readonly #app: App;
  readonly #memo = new Memo<AllNumbers>();

  constructor(app: App) {
    this.#app = app;
  }

  render(): TemplateResult {
    const { recording } = this.#app;
    if (!recording) return html``;
    const { model } = recording;
    if (model.frames.count === 0)
      return html`<div class="empty">
        <h2>No numbers yet</h2>
        <p>There are no frames to count.</p>
      </div>`;
    const numbers = this.#memo.get(recording, () => ({
      methods: methodNumbers(model),
      turns: turnNumbers(model),
      traffic: trafficNumbers(model),
    }));
    return html`<div class="cards wide" tabindex="0" role="region" aria-label="Numbers">
      ${this.#tiles(recording, numbers)} ${this.#turns(recording, numbers.turns)}
      ${this.#usage(model.usage, recording.isTimed)}
      ${this.#methods(numbers.methods, recording.isTimed)}
    </div>`;
  }

  #tiles(recording: PageRecording, { traffic, turns }: AllNumbers): TemplateResult {
    const { model, isTimed } = recording;
    const first = turns.find(({ firstUpdate }) => firstUpdate)?.firstUpdate;
    const silence = turns.reduce<Figure | undefined>(
      (most, { silence: own }) => (own.ms > (most?.ms ?? 0) ? own : most),
      undefined,
    );
    return html`<dl class="tiles">
      ${tile("Frames", count(traffic.frames), `${count(traffic.fromAgent.frames)} from the agent`)}
      ${tile("Bytes", bytes(traffic.bytes), `${bytes(traffic.fromAgent.bytes)} from the agent`)}
      ${tile("Turns", count(model.turns.length), counted(model.toolCalls.length, "tool call"))}
      ${
        isTimed
          ? html`${tile("Duration", duration(traffic.durationMs), counted(model.idleGaps.length, "idle time"))}
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
      return startMs !== undefined && this.#app.isInRange(startMs, endMs ?? model.lastMs);
    });
    if (shown.length === 0) return html``;
    const hasTokens = shown.some(({ tokens }) => tokens);
    const hasCost = shown.some(({ cost }) => cost);
    return html`<h3>Turns</h3>
      <div class="scroll" tabindex="0" role="region" aria-label="Turns">
        <table class="data">
          <thead>
            <tr>
              <th>Turn</th>
              ${
                isTimed
                  ? html`<th class="time-column">Time by cause</th>
                      <th class="number">Total</th>
                      <th class="number">First update</th>
                      <th class="number">Silence</th>
                      <th class="number">Chunks/s</th>`
                  : nothing
              }
              <th class="number">Tools</th>
              <th class="number">Bytes</th>
              ${hasTokens ? html`<th class="number">Tokens in / out</th>` : nothing}
              ${hasCost ? html`<th class="number">Cost</th>` : nothing}
            </tr>
          </thead>
          <tbody>
            ${shown
              .slice(0, MOST_TURNS)
              .map((turn) => this.#turn(recording, turn, hasTokens, hasCost))}
          </tbody>
        </table>
      </div>
      ${
        shown.length > MOST_TURNS
          ? html`<p class="muted">
              ${counted(shown.length - MOST_TURNS, "more turn")}. Narrow the time to see them.
            </p>`
          : nothing
      }`;
  }

  #turn(
    { model, isTimed }: PageRecording,
    numbers: TurnNumbers,
    hasTokens: boolean,
    hasCost: boolean,
  ): TemplateResult {
    const { turn, time, firstUpdate, silence, chunksPerSecond, tokens, cost } = numbers;
    const prompt = model.turns[turn]?.prompt ?? -1;
    const isOpen = model.turns[turn]?.endMs === undefined;
    return html`<tr>
      <td>${this.#rowLink(prompt, count(turn + 1))}</td>
      ${
        isTimed
          ? html`<td class="time-column">${timeBar(time)}</td>
              <td class="number">${isOpen ? "runs" : duration(time.totalMs)}</td>
              <td class="number">${firstUpdate ? this.#link(firstUpdate) : "–"}</td>
              <td class="number">${this.#link(silence)}</td>
              <td class="number">
                ${chunksPerSecond === undefined ? "–" : rate(chunksPerSecond)}
              </td>`
          : nothing
      }
      <td class="number">${count(numbers.toolCalls)}</td>
      <td class="number">${bytes(numbers.bytes)}</td>
      ${
        hasTokens
          ? html`<td class="number">
              ${tokens ? `${countOr(tokens.input)} / ${countOr(tokens.output)}` : "–"}
            </td>`
          : nothing
      }
      ${
        hasCost
          ? html`<td class="number">${cost ? money(cost.amount, line(cost.currency)) : "–"}</td>`
          : nothing
      }
    </tr>`;
  }

  #methods(methods: readonly MethodNumbers[], isTimed: boolean): TemplateResult {
    return html`<h3>Methods</h3>
      <div class="scroll" tabindex="0" role="region" aria-label="Methods">
        <table class="data">
          <thead>
            <tr>
              <th>Method</th>
              <th>From</th>
              <th class="number">Count</th>
              <th class="number">Open</th>
              <th class="number">Errors</th>
              ${
                isTimed
                  ? html`<th class="number">p50</th>
                      <th class="number">p90</th>
                      <th class="number">p99</th>
                      <th class="number">Max</th>`
                  : nothing
              }
            </tr>
          </thead>
          <tbody>
            ${methods.slice(0, MOST_TURNS).map(
              (method) =>
                html`<tr>
                  <td>
                    <button
                      class="link"
                      @click=${() =>
                        this.#app.go({
                          view: "frames",
                          query: `method:${method.method} kind:${method.isRequest ? "request" : "notification"}`,
                        })}
                    >
                      ${line(method.method)}
                    </button>
                  </td>
                  <td>${method.direction === "in" ? "agent" : "client"}</td>
                  <td class="number">${count(method.count)}</td>
                  <td class=${method.open > 0 ? "number bad" : "number"}>
                    ${method.isRequest ? count(method.open) : "–"}
                  </td>
                  <td class=${method.errors > 0 ? "number bad" : "number"}>
                    ${method.isRequest ? count(method.errors) : "–"}
                  </td>
                  ${
                    isTimed
                      ? [method.p50, method.p90, method.p99, method.max].map(
                          (figure) =>
                            html`<td class="number">${figure ? this.#link(figure) : "–"}</td>`,
                        )
                      : nothing
                  }
                </tr>`,
            )}
          </tbody>
        </table>
      </div>
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
    return html`<h3>Tokens and cost</h3>
      <div class="charts">
        <figure class="chart">
          <figcaption>
            <strong>Context</strong>
            ${this.#rowLink(last.row, `${count(last.used)} of ${count(last.size)} tokens`)}
            <span class="muted">${share}</span>
          </figcaption>
          ${isTimed ? chart(usage, ({ used }) => used, last.size) : nothing}
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
                ${isTimed ? chart(costs, ({ cost }) => cost?.amount ?? 0, 0) : nothing}
              </figure>`
            : nothing
        }
      </div>
      <details>
        <summary>As a table</summary>
        <div class="scroll" tabindex="0" role="region" aria-label="Tokens and cost">
          <table class="data">
            <thead>
              <tr>
                <th>Time</th>
                <th class="number">Used</th>
                <th class="number">Size</th>
                <th class="number">Cost</th>
              </tr>
            </thead>
            <tbody>
              ${usage.slice(-MOST_TURNS).map(
                ({ row, ms, used, size, cost }) =>
                  html`<tr>
                    <td>${this.#rowLink(row, isTimed ? clock(ms) : `#${count(row + 1)}`)}</td>
                    <td class="number">${count(used)}</td>
                    <td class="number">${count(size)}</td>
                    <td class="number">${cost ? money(cost.amount, line(cost.currency)) : "–"}</td>
                  </tr>`,
              )}
            </tbody>
          </table>
        </div>
      </details>`;
  }

  #link({ ms, row }: Figure): TemplateResult {
    return this.#rowLink(row, duration(ms));
  }

  #rowLink(row: number, text: string): TemplateResult {
    return html`<button
      class="link figure"
      title=${`Frame ${count(row + 1)}`}
      @click=${() => this.#app.select(row, { open: true })}
    >
      ${text}
    </button>`;
  }
}

function tile(name: string, value: TemplateResult | string, note: string): TemplateResult {
  return html`<div class="tile">
    <dt>${name}</dt>
    <dd class="figure">${value}</dd>
    <dd class="muted small">${note}</dd>
  </div>`;
}

function countOr(value: number | undefined): string {
  return value === undefined ? "–" : count(value);
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
    viewBox=${`0 0 ${WIDE} ${TALL}`}
    preserveAspectRatio="none"
    aria-hidden="true"
  >
    ${svg`<path class="area" d=${`${path}V${TALL}H0Z`} /><path class="stroke" d=${path} />`}
  </svg>`;
}
