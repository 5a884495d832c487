import { html, nothing, type TemplateResult } from "lit-html";
import {
  compareSessions,
  type SessionComparison,
  type TurnComparison,
  partiesOf,
  type AlignedPair,
  type TextPiece,
} from "../../compare.ts";
import { firstWords, type SessionModel } from "../../../../trace/index.ts";
import { PageView } from "../app.ts";
import { Memo } from "../work.ts";
import { count, countOf, duration, words, line, lines } from "../parts/format.ts";
import { cards, empty, leftOut, link, type Shown, table, toggle } from "../parts/ui.ts";
import type { PageRecording } from "../recording.ts";
import { timeBar } from "../parts/time-bar.ts";

/** The most turns and differences that are shown at once. */
const MOST_TURNS = 100;
const MOST_DIFFERENCES = 200;
const MOST_VALUE_CHARS = 200;
/** The most rows of turns that open by themselves. Others open with a click. */
const MOST_OPEN_ROWS = 2000;

/** Two sessions side by side: their set-up, then turn by turn. */
export class CompareView extends PageView {
  readonly #memo = new Memo<SessionComparison>();
  /** The turns that the user opened or closed. */
  readonly #chosen = new Map<number, boolean>();
  #pair = "";
  #withTexts = false;

  render(a: PageRecording): TemplateResult {
    const { other: b, sessions } = this.app;
    if (!b)
      return empty(
        "Nothing to compare with",
        html`Open two recordings at once: <code>dragoman inspect ONE.jsonl OTHER.jsonl</code>`,
      );
    if (a.state.type === "loading" || b.state.type === "loading")
      return empty("Reading the recordings …");
    const pair = JSON.stringify([a.info.id, b.info.id]);
    if (pair !== this.#pair) this.#chosen.clear();
    this.#pair = pair;
    const key = `${b.info.id} ${b.version} ${this.#withTexts}`;
    const compared = this.#memo.get(
      a,
      () => compareSessions(a.model, b.model, this.#withTexts),
      key,
    );
    const opened = openedTurns(compared.turns);
    return html`<div class="toolbar">
        <strong class="side-a">A ${line(nameOf(a))}</strong>
        <span class="muted">and</span>
        ${
          sessions.length > 2
            ? html`<strong class="side-b">B</strong>
                <select
                  aria-label="The other session"
                  @change=${(event: Event) => this.#choose(event)}
                >
                  ${sessions
                    .filter(({ id }) => id !== a.info.id)
                    .map(
                      ({ id, name }) =>
                        html`<option value=${id} ?selected=${id === b.info.id}>
                          ${line(name)}
                        </option>`,
                    )}
                </select>`
            : html`<strong class="side-b">B ${line(nameOf(b))}</strong>`
        }
        <span class="spacer"></span>
        ${toggle("Compare texts", this.#withTexts, () => {
          this.#withTexts = !this.#withTexts;
          this.app.render();
        })}
      </div>
      ${cards(
        "Comparison",
        html`${this.#setup(compared)}
          <h3>Turns</h3>
          ${compared.turns.length === 0 ? html`<p class="muted">Neither session has a turn${isDone(a) && isDone(b) ? "" : " so far"}.</p>` : nothing}
          ${compared.turns
            .slice(0, MOST_TURNS)
            .map((turn, index) => this.#turn(a.model, b.model, turn, index, opened.has(turn)))}
          ${leftOut(compared.turns.length - MOST_TURNS, "turn")}`,
        "cards wide",
      )}`;
  }

  #setup({ setup }: SessionComparison): TemplateResult {
    if (setup.length === 0)
      return html`<h3>Set-up</h3>
        <p class="muted">Both sessions agreed on the same things.</p>`;
    return html`<h3>Set-up: ${countOf(setup.length, "difference")}</h3>
      ${table(
        "Differences of the set-up",
        [
          { title: "Field", cell: ({ path }) => html`<code>${line(path)}</code>` },
          { title: "A", cell: ({ a }) => value(a) },
          { title: "B", cell: ({ b }) => value(b) },
        ],
        setup.slice(0, MOST_DIFFERENCES),
        "data compared",
      )}`;
  }

  #turn(
    a: SessionModel,
    b: SessionModel,
    turn: TurnComparison,
    index: number,
    isOpened: boolean,
  ): TemplateResult {
    const isOpen = this.#chosen.get(index) ?? isOpened;
    const differing = turn.frames.filter(isDifferent).length;
    const calls = turn.tools.filter(isDifferent).length;
    const prompt = promptOf(a, turn.a) ?? promptOf(b, turn.b) ?? "";
    return html`<section class="card compare-turn">
      <button
        class="card-head"
        aria-expanded=${isOpen}
        @click=${() => {
          this.#chosen.set(index, !isOpen);
          this.app.render();
        }}
      >
        <span class="kind">${turnName(turn)}</span>
        <span class="card-title">${line(prompt)}</span>
        <span class=${isSame(turn) ? "muted" : "bad"}
          >${isSame(turn) ? "the same" : differenceWords(turn, differing, calls)}</span
        >
      </button>
      <div class="card-body">
        <div class="sides">
          ${side("a", a, turn.a, turn.time.a)}${side("b", b, turn.b, turn.time.b)}
        </div>
        ${turn.text ? text(turn.text) : nothing}
        ${
          isOpen
            ? html`${pairTable(
                "Tool calls",
                turn.tools,
                (row) => toolText(a, row),
                (row) => toolText(b, row),
              )}${pairTable(
                "Frames",
                turn.frames,
                (row) => frameText(a, row),
                (row) => frameText(b, row),
                (row) => this.app.show("frames", row),
              )}`
            : nothing
        }
      </div>
    </section>`;
  }

  #choose({ target }: Event): void {
    if (target instanceof HTMLSelectElement) this.app.go({ other: target.value });
  }
}

function isDone({ state }: PageRecording): boolean {
  return state.type === "done";
}

function nameOf({ info, model }: PageRecording): string {
  const { agent } = partiesOf(model);
  return agent
    ? `${info.name} (${agent.name} ${agent.version ?? ""})`.replace(" )", ")")
    : info.name;
}

function isSame({ isSamePrompt, isSameStopReason, frames, tools }: TurnComparison): boolean {
  return isSamePrompt && isSameStopReason && ![...frames, ...tools].some(isDifferent);
}

/** The turns that differ, as many as a page can show at once. */
function openedTurns(turns: readonly TurnComparison[]): ReadonlySet<TurnComparison> {
  let rows = 0;
  const opened = turns.filter((turn) => {
    if (isSame(turn) || rows > MOST_OPEN_ROWS) return false;
    const { frames, tools } = turn;
    rows += Math.min(frames.length, MOST_DIFFERENCES) + Math.min(tools.length, MOST_DIFFERENCES);
    return true;
  });
  return new Set(opened);
}

function turnName({ a, b }: TurnComparison): string {
  const name = (turn: number | undefined): string => (turn === undefined ? "–" : count(turn + 1));
  return a === b ? `turn ${name(a)}` : `turn ${name(a)} / ${name(b)}`;
}

function differenceWords(turn: TurnComparison, frames: number, calls: number): string {
  if (turn.a === undefined) return "only in B";
  if (turn.b === undefined) return "only in A";
  return [
    ...(turn.isSamePrompt ? [] : ["another prompt"]),
    ...(turn.isSameStopReason ? [] : ["another end"]),
    ...(calls > 0 ? [countOf(calls, "tool call differs", "tool calls differ")] : []),
    ...(frames > 0 ? [countOf(frames, "frame differs", "frames differ")] : []),
  ].join(", ");
}

function side(
  name: "a" | "b",
  model: SessionModel,
  number: number | undefined,
  time: TurnComparison["time"]["a"],
): TemplateResult {
  const turn = number === undefined ? undefined : model.turns[number];
  return html`<div class="half">
    <p>
      <strong class=${`side-${name}`}>${name.toUpperCase()}</strong>
      ${
        turn
          ? html`<span
              >${
                turn.error
                  ? line(turn.error.message)
                  : line(words(turn.stopReason ?? "not finished"))
              }${time ? `, ${duration(time.totalMs)}` : ""}</span
            >`
          : html`<span class="muted">no such turn</span>`
      }
    </p>
    ${time && time.totalMs > 0 ? timeBar(time) : nothing}
  </div>`;
}

function pairTable(
  title: string,
  pairs: readonly AlignedPair[],
  textA: (row: number) => string,
  textB: (row: number) => string,
  show?: (row: number) => void,
): TemplateResult {
  if (pairs.length === 0) return html``;
  return html`<h4>${title}</h4>
    ${table(
      title,
      [
        {
          title: "A",
          cell: ({ a }) =>
            a === undefined ? "–" : show ? link(textA(a), () => show(a)) : textA(a),
        },
        { title: "B", cell: ({ b }) => (b === undefined ? "–" : textB(b)) },
      ],
      pairs.slice(0, MOST_DIFFERENCES),
      "data compared",
      (pair) => (isDifferent(pair) ? "different" : ""),
    )}
    ${leftOut(pairs.length - MOST_DIFFERENCES, "row")}`;
}

function text(pieces: readonly TextPiece[]): TemplateResult {
  return html`<div class="compared-text">
    ${pieces.map(({ text: piece, in: where }) =>
      where === "both"
        ? lines(piece)
        : where === "a"
          ? html`<del>${lines(piece)}</del>`
          : html`<ins>${lines(piece)}</ins>`,
    )}
  </div>`;
}

function isDifferent({ a, b }: AlignedPair): boolean {
  return a === undefined || b === undefined;
}

function promptOf(model: SessionModel, turn: number | undefined): string | undefined {
  const row = turn === undefined ? undefined : model.turns[turn]?.prompt;
  return row === undefined ? undefined : firstWords(model, row);
}

function toolText({ toolCalls }: SessionModel, number: number): string {
  const call = toolCalls[number];
  return call ? line(`${call.kind} ${call.title || call.id}: ${words(call.status)}`) : "";
}

function frameText({ frames }: SessionModel, row: number): string {
  const name = frames.update(row) || `${frames.method(row)} ${frames.kind(row)}`;
  return `#${count(row + 1)} ${frames.direction(row) === "in" ? "←" : "→"} ${line(name)}`;
}

function value(given: unknown): Shown {
  if (given === undefined) return "–";
  return html`<code>${line(JSON.stringify(given)).slice(0, MOST_VALUE_CHARS)}</code>`;
}
