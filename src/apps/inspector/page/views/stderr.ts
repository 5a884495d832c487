import { html, type TemplateResult } from "lit-html";
import { type App, type ListStep, PageView } from "../app.ts";
import { Memo } from "../work.ts";
import { absent } from "../parts/ui.ts";
import { clock, count, countOf, line } from "../parts/format.ts";
import { RowList } from "../parts/row-list.ts";
import type { PageRecording } from "../recording.ts";
import { ansiText } from "../parts/ansi.ts";

/** One line that is not a message of the protocol. */
interface OtherLine {
  readonly kind: "stderr" | "stdout" | "exit" | "note";
  readonly ms: number;
  /** The frame that it stands before, or that it is. */
  readonly row: number;
  readonly text: string;
}

/** The agent's words: stderr, lines on stdout that are not frames, and the exit. */
export class StderrView extends PageView {
  readonly #memo = new Memo<readonly OtherLine[]>();
  readonly #list: RowList<OtherLine>;
  /** The index of the selected line. Several lines may stand before the same frame. */
  #chosen = -1;

  constructor(app: App) {
    super(app);
    this.#list = new RowList({
      label: "Stderr",
      name: "stderr-list",
      onSelect: (line, isOpened, index) => {
        this.#chosen = index;
        app.select(this.#frameOf(line), { open: isOpened });
      },
    });
  }

  render(recording: PageRecording): TemplateResult {
    const shown = this.#lines(recording);
    if (shown.length === 0) {
      const isKnown =
        (recording.model.header.version ?? 2) >= 2 && recording.info.losses.length === 0;
      return absent(
        this.app,
        recording,
        "Nothing on stderr",
        isKnown
          ? "The agent wrote nothing to stderr, and only messages to stdout."
          : "This format has no stderr, or the agent wrote nothing.",
      );
    }
    const chosen = shown[this.#chosen];
    this.#list.show({
      rows: shown,
      active: chosen && this.#frameOf(chosen) === this.app.link.row ? this.#chosen : -1,
      columns: [
        { title: "Time", name: "c-time", cell: ({ ms }) => (recording.isTimed ? clock(ms) : "") },
        { title: "From", name: "c-kind", cell: ({ kind }) => kind },
        { title: "Text", name: "c-text", cell: ({ text }) => ansiText(text, line) },
        { title: "Before", name: "c-number", cell: (entry) => `#${count(entry.row + 1)}` },
      ],
      marks: ({ kind }) => ({ kind }),
    });
    return html`<div class="toolbar">
        <span class="figure">${countOf(shown.length, "line")}</span>
        <span class="muted">stderr, lines on stdout that are not messages, exits and notes</span>
      </div>
      <div class="fill">${this.#list.element}</div>`;
  }

  override move(step: ListStep): void {
    this.#list.move(step);
  }

  /** The frame to select for a line. After the last frame, it is the last one. */
  #frameOf({ row }: OtherLine): number {
    return Math.min(row, (this.app.model?.frames.count ?? 0) - 1);
  }

  #lines(recording: PageRecording): readonly OtherLine[] {
    const { range } = this.app.link;
    return this.#memo.get(
      recording,
      () => allLines(recording).filter(({ ms }) => this.app.isInRange(ms)),
      range?.join("-"),
    );
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
