import { html, nothing, type TemplateResult } from "lit-html";
import { sanitizeJson } from "../../../base/index.ts";
import type { Finding } from "../findings.ts";
import type { SessionModel } from "../../../trace/index.ts";
import type { App } from "./app.ts";
import { DETAIL_FORMS, type DetailForm, type ViewName } from "./link.ts";
import { bytes, clock, count, duration, line } from "./parts/format.ts";
import { icon, chip, iconButton, type Shown } from "./parts/ui.ts";
import { JsonTree } from "./parts/tree.ts";
import type { PageRecording } from "./recording.ts";

/** Longer frames are shown in part at first. */
const LONG_BYTES = 256 * 1024;
const PART_BYTES = 64 * 1024;

const FORM_NAMES: Readonly<Record<DetailForm, string>> = {
  tree: "Tree",
  raw: "Raw line",
  pair: "Request and response",
};

export class FrameDetail {
  readonly #app: App;
  readonly #tree: JsonTree;
  readonly #pairTree: JsonTree;
  /** The long frame that is shown in full. */
  #whole = -1;
  #parsed: Parsed | undefined;
  #pair: Parsed | undefined;

  constructor(app: App) {
    this.#app = app;
    this.#tree = new JsonTree(() => app.render());
    this.#pairTree = new JsonTree(() => app.render());
  }

  /** The part of the frame that was chosen in the tree. */
  get chosen(): { readonly path: string; readonly value: unknown } {
    return { path: this.#tree.path, value: this.#tree.chosen };
  }

  render(recording: PageRecording): TemplateResult {
    const { model } = recording;
    const { row } = this.#app.link;
    if (row >= model.frames.count)
      return this.#frame(
        `Frame ${count(row + 1)}`,
        html`<p class="empty">
          ${
            recording.state.type === "done"
              ? `This recording has no frame ${count(row + 1)}.`
              : `Frame ${count(row + 1)} has not been read yet.`
          }
        </p>`,
      );
    const { frames } = model;
    const update = frames.update(row);
    const name = [frames.method(row) || frames.kind(row), update].filter((part) => part !== "");
    return this.#frame(
      name.join(" · "),
      html`${this.#facts(recording, row)}
        ${recording.findingsOf(row).map((found) => finding(found))}
        <div class="forms" role="group" aria-label="Form">
          ${DETAIL_FORMS.map((form) => this.#formButton(form, model, row))}
        </div>
        ${this.#content(recording, row)}`,
    );
  }

  #frame(title: string, content: TemplateResult): TemplateResult {
    const app = this.#app;
    return html`<div class="detail-head">
        <span class="figure muted">#${count(app.link.row + 1)}</span>
        <h2>${line(title)}</h2>
        ${iconButton("copy", "Copy", () => app.open("copy"), "Copy (C)")}
        ${iconButton("close", "Close", () => app.go({ detail: undefined }), "Close (Esc)")}
      </div>
      <div class="detail-body">${content}</div>`;
  }

  #facts(recording: PageRecording, row: number): TemplateResult {
    const { model, isTimed } = recording;
    const { frames } = model;
    const pair = frames.pair(row);
    const call = model.toolCalls[frames.tool(row)];
    const turn = frames.turn(row);
    const kind = frames.kind(row);
    const latency = frames.latency(row);
    const isAnswer = kind === "response" || kind === "error";
    const show = (view: ViewName, text: string): Shown =>
      this.#app.link.view === view ? nothing : chip(text, () => this.#app.show(view, row));
    return html`<p class="facts">
        <span class="dir" data-dir=${frames.direction(row)}
          >${frames.direction(row) === "in" ? "← agent" : "→ client"}</span
        >
        <span>${kind}${frames.id(row) === "" ? "" : ` ${line(frames.id(row))}`}</span>
        ${isTimed ? html`<span class="figure">${clock(frames.ms(row))}</span>` : nothing}
        <span class="figure">${bytes(frames.size(row))}</span>
        ${
          latency === undefined || !isTimed
            ? nothing
            : html`<span class="figure"
                >${isAnswer ? "took" : "answered after"} ${duration(latency)}</span
              >`
        }
        ${kind === "request" && pair < 0 ? html`<span class="bad">no response</span>` : nothing}
      </p>
      <p class="facts">
        ${
          pair < 0
            ? nothing
            : chip(`${isAnswer ? "Request" : "Response"} #${count(pair + 1)}`, () =>
                this.#app.select(pair),
              )
        }
        ${call ? show("tools", line(call.title || call.id)) : nothing}
        ${
          turn < 0
            ? html`<span class="muted">outside any turn</span>`
            : show("timeline", `Turn ${count(turn + 1)}`)
        }
        ${frames.item(row) < 0 ? nothing : show("conversation", "Conversation")}
        ${show("frames", "In frames")}
      </p>`;
  }

  #formButton(form: DetailForm, { frames }: SessionModel, row: number): TemplateResult {
    const isCurrent = this.#app.link.detail === form;
    return html`<button
      class="form"
      aria-pressed=${isCurrent}
      ?disabled=${form === "pair" && frames.pair(row) < 0}
      @click=${() => this.#app.go({ detail: form }, "replace")}
    >
      ${FORM_NAMES[form]}
    </button>`;
  }

  #content(recording: PageRecording, row: number): TemplateResult {
    const { model } = recording;
    const fields = recording.fieldsOf(row);
    const { detail } = this.#app.link;
    const pair = model.frames.pair(row);
    if (detail === "raw") return this.#raw(model, row);
    const own = (this.#parsed = parsedLine(model, row, this.#parsed));
    if (detail !== "pair" || pair < 0)
      return own.value === undefined ? this.#raw(model, row) : this.#tree.render(own.value, fields);
    const other = (this.#pair = parsedLine(model, pair, this.#pair));
    const isFirst = row < pair;
    const mine = html`<h3>#${count(row + 1)}</h3>
      ${this.#tree.render(own.value, fields)}`;
    const theirs = html`<h3>#${count(pair + 1)}</h3>
      ${this.#pairTree.render(other.value, recording.fieldsOf(pair))}`;
    return html`${isFirst ? mine : theirs}${isFirst ? theirs : mine}`;
  }

  #raw({ frames }: SessionModel, row: number): TemplateResult {
    const size = frames.size(row);
    const isCut = size > LONG_BYTES && this.#whole !== row;
    const text = isCut ? frames.lines.text(row, PART_BYTES) : frames.line(row);
    return html`<pre class="raw" tabindex="0" aria-label="Raw line">${sanitizeJson(text)}</pre>
      ${
        isCut
          ? chip(
              `Show all ${bytes(size)}`,
              () => {
                this.#whole = row;
                this.#app.render();
              },
              "button",
            )
          : nothing
      }`;
  }
}

type Parsed = { readonly row: number; readonly of: SessionModel; readonly value: unknown };

/** The value of a line; undefined if it is not JSON. */
function parsedLine(of: SessionModel, row: number, before: Parsed | undefined): Parsed {
  if (before?.row === row && before.of === of) return before;
  let value: unknown;
  try {
    value = JSON.parse(of.frames.line(row));
  } catch {
    value = undefined;
  }
  return { row, of, value };
}

function finding({ severity, side, rule, requirement, message, source }: Finding): TemplateResult {
  return html`<div class=${`callout ${severity}`}>
    <p class="callout-head">
      ${icon("warning")} <strong>${severity === "error" ? "Broken rule" : "Note"}</strong>
      <span class="muted">${side} · ${line(rule)}</span>
    </p>
    <p>${line(requirement)}</p>
    <p class="muted">${line(message)}</p>
    ${source === "" ? nothing : html`<p class="muted small">${line(source)}</p>`}
  </div>`;
}
