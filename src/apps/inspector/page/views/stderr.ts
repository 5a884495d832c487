import { html, type TemplateResult } from "lit-html";
import type { App, ListStep, PageView } from "../app.ts";
import { Memo } from "../memo.ts";
import { styledText } from "../parts/ansi.ts";
import { absent } from "../parts/absent.ts";
import { clock, count, counted } from "../parts/format.ts";
import { RowList } from "../parts/row-list.ts";
import { line } from "../parts/text.ts";
import type { PageRecording } from "../recording.ts";

/** One line that is not a message of the protocol. */
interface OtherLine {
  readonly kind: "stderr" | "stdout" | "exit" | "note";
  readonly ms: number;
  /** The frame that it stands before, or that it is. */
  readonly row: number;
  readonly text: string;
}

/** The agent's words: stderr, lines on stdout that are not frames, and the exit. */
export class StderrView implements PageView {
  readonly #app: App;
  readonly #memo = new Memo<readonly OtherLine[]>();
  readonly #list: RowList;
  #at = -1;

  constructor(app: App) {
    this.#app = app;
    this.#list = new RowList({
      label: "Stderr",
      name: "stderr-list",
      columns: [
        { title: "Time", name: "c-time" },
        { title: "From", name: "c-kind" },
        { title: "Text", name: "c-text" },
        { title: "Before", name: "c-number" },
      ],
      fill: (cells, index, row) => this.#fill(cells, index, row),
      onSelect: (index, isOpened) => this.#choose(index, isOpened),
    });
  }

  render(): TemplateResult {
    const { recording } = this.#app;
    if (!recording) return html``;
    const shown = this.#lines(recording);
    if (shown.length === 0) {
      const isKnown =
        (recording.model.header.version ?? 2) >= 2 && recording.info.losses.length === 0;
      return absent(
        this.#app,
        recording,
        "Nothing on stderr",
        isKnown
          ? "The agent wrote nothing to stderr, and only messages to stdout."
          : "This format has no stderr, or the agent wrote nothing.",
      );
    }
    if (this.#at >= 0 && shown[this.#at]?.row !== this.#app.link.row) this.#at = -1;
    this.#list.update(shown.length, this.#at);
    return html`<div class="toolbar">
        <span class="figure">${counted(shown.length, "line")}</span>
        <span class="muted">stderr, lines on stdout that are not messages, exits and notes</span>
      </div>
      <div class="fill">${this.#list.element}</div>`;
  }

  move(step: ListStep): void {
    this.#choose(this.#list.stepped(step), false);
  }

  #lines(recording: PageRecording): readonly OtherLine[] {
    const { range } = this.#app.link;
    return this.#memo.get(
      recording,
      () => allLines(recording).filter(({ ms }) => this.#app.isInRange(ms)),
      range?.join("-"),
    );
  }

  #fill(cells: readonly HTMLElement[], index: number, element: HTMLElement): void {
    const { recording } = this.#app;
    const entry = recording && this.#lines(recording)[index];
    if (!entry) return;
    element.dataset["kind"] = entry.kind;
    const [time, kind, text, before] = cells;
    if (time) time.textContent = recording.isTimed ? clock(entry.ms) : "";
    if (kind) kind.textContent = entry.kind;
    if (before) before.textContent = `#${count(entry.row + 1)}`;
    text?.replaceChildren(
      ...styledText(entry.text).map(({ text: piece, style }) => {
        const span = document.createElement("span");
        span.className = style;
        span.textContent = line(piece);
        return span;
      }),
    );
  }

  #choose(index: number, isOpened: boolean): void {
    const { recording } = this.#app;
    const entry = recording && this.#lines(recording)[index];
    if (!entry) return;
    this.#at = index;
    const row = Math.min(entry.row, recording.model.frames.count - 1);
    this.#app.select(row, { open: isOpened });
  }
}

function allLines({ model }: PageRecording): readonly OtherLine[] {
  const found: OtherLine[] = [];
  for (let number = 0; number < model.eventCount; number++) {
    const { entry, before: row } = model.event(number);
    const { ms } = entry;
    if (entry.event === "stderr" || entry.event === "note") {
      const kind = entry.event;
      for (const text of entry.text.replace(/\n$/, "").split("\n"))
        found.push({ kind, ms, row, text });
    } else if (entry.event === "exit") {
      const how = entry.signal === null ? `code ${entry.code ?? "unknown"}` : entry.signal;
      found.push({ kind: "exit", ms, row, text: `The agent ended with ${how}.` });
    }
  }
  const { frames } = model;
  for (let row = 0; row < frames.count; row++)
    if (frames.kind(row) === "noise")
      found.push({ kind: "stdout", ms: frames.ms(row), row, text: frames.lines.text(row, 4096) });
  return found.toSorted((a, b) => a.row - b.row || a.ms - b.ms);
}
