import { bufferOf } from "../editor/buffer.ts";
import { type EditorContext, type EditorState, NEW_EDITOR, press } from "../editor/editor.ts";
import { type Key, MARK_PASTES, UNMARK_PASTES } from "../editor/keys.ts";
import { editorRows } from "../editor/layout.ts";
import type { Io, ScreenSize } from "../shell/io.ts";
import type { Footer } from "../render/terminal/bottom.ts";
import { cutToColumns } from "../render/terminal/columns.ts";
import type { AreaRows } from "../render/terminal/live-area.ts";
import { sanitize, sanitizeLine } from "../../../base/index.ts";
import type { Screen } from "../render/terminal/screen.ts";
import type { Style } from "../render/terminal/style.ts";
import { RawKeys } from "../tty/raw-keys.ts";
import { type ChatInput, type InputEvent, InputEvents } from "./input.ts";

export interface EditorInputOptions {
  readonly io: Io;
  readonly screen: Screen;
  readonly style: Style;
  /** Earlier prompts, newest first. */
  readonly history: readonly string[];
  readonly complete: EditorContext["complete"];
  /** The line below the editor, which must fit into the columns. It must be safe to print. */
  readonly status: (columns: number) => string;
  /** Whether the agent works, so that Ctrl-C cancels instead of clearing the text. */
  readonly isBusy: () => boolean;
  readonly onCancel: () => void;
}

const SHOWN_WAITING = 3;
/** How much of a prompt stays on the screen after it is sent. */
const SHOWN_LINES = 40;

/**
 * The editor at the bottom of the terminal. It stays there while the agent works: a prompt that is sent
 * meanwhile waits for its turn, and the arrow key brings it back to be edited.
 */
export class EditorInput implements ChatInput, Footer {
  readonly #options: EditorInputOptions;
  readonly #events: InputEvents;
  readonly #keys: RawKeys;
  #state: EditorState = NEW_EDITOR;
  #isClosed = false;

  constructor(options: EditorInputOptions) {
    const { io, screen, history } = options;
    this.#options = options;
    this.#events = new InputEvents(history);
    const setRaw = (raw: boolean): void => {
      io.setRaw?.(raw);
      io.stderr.stream.write(raw ? MARK_PASTES : UNMARK_PASTES);
    };
    this.#keys = new RawKeys(
      io,
      { input: io.stdin, setRaw },
      {
        key: (key) => this.#press(key),
        stopping: () => screen.clearFooter(),
        continued: () => screen.redrawFooter(),
        ended: () => this.#events.emit({ kind: "end" }),
      },
    );
    this.#keys.start();
    screen.setFooter(this);
  }

  get history(): readonly string[] {
    return this.#events.history;
  }

  send(text: string): void {
    this.#events.send(text);
    this.#options.screen.redrawFooter();
  }

  async next(signal: AbortSignal): Promise<InputEvent> {
    this.#options.screen.redrawFooter();
    const event = await this.#events.next(signal);
    if (event.kind === "prompt") this.#echo(event.text);
    return event;
  }

  /** In raw mode Ctrl-C is a key, so this signal comes from elsewhere, or after the end of a turn. */
  interrupt(): boolean {
    this.#events.emit({ kind: "interrupt" });
    return true;
  }

  takeBack(): void {
    const texts = [...this.#events.prompts];
    while (this.#events.takeNewest() !== undefined);
    const { text } = this.#state.buffer;
    const all = [...texts, ...(text === "" ? [] : [text])].join("\n");
    this.#edit({ ...this.#state, buffer: bufferOf(all), menu: undefined, search: undefined });
  }

  close(): void {
    this.#isClosed = true;
    this.#keys.stop();
    this.#options.screen.setFooter(undefined);
  }

  pause(): void {
    this.#keys.stop();
  }

  resume(): void {
    if (!this.#isClosed) this.#keys.start();
  }

  rows(size: ScreenSize): AreaRows {
    const { style, status } = this.#options;
    const width = size.columns - 1;
    const { prompts } = this.#events;
    const waiting = prompts
      .slice(-SHOWN_WAITING)
      .map((text) => style("dim", cutToColumns(`waiting: ${sanitizeLine(text)}`, width)));
    const line = status(width);
    const below = line === "" ? [] : [style("dim", line)];
    const rows = Math.max(1, size.rows - waiting.length - below.length);
    const editor = editorRows(this.#state, { columns: size.columns, rows }, style);
    return {
      rows: [...waiting, ...editor.rows, ...below],
      cursor: editor.cursor && {
        row: editor.cursor.row + waiting.length,
        column: editor.cursor.column,
      },
    };
  }

  #press(key: Key): void {
    const { isBusy, onCancel, complete, screen } = this.#options;
    if (this.#takesBack(key)) return;
    const step = press(this.#state, key, { history: this.history, complete });
    switch (step.kind) {
      case "edit":
        return this.#edit(step.state);
      case "submit":
        return this.#submit(step.text, step.state);
      case "clear":
        this.#state = step.state;
        return screen.clearTerminal();
      case "interrupt":
        if (isBusy()) return onCancel();
        // As in a shell, Ctrl-C clears the text and keeps the prompt.
        if (step.state.buffer.text !== "") return this.#edit(NEW_EDITOR);
        return this.#events.emit({ kind: "interrupt" });
      case "end":
        return this.#events.emit({ kind: "end" });
    }
  }

  /** The arrow key in an empty editor brings back the newest prompt that waits. */
  #takesBack(key: Key): boolean {
    if (key.type !== "key" || key.name !== "up" || this.#state.buffer.text !== "") return false;
    const text = this.#events.takeNewest();
    if (text === undefined) return false;
    this.#edit({ ...NEW_EDITOR, removed: this.#state.removed, buffer: bufferOf(text) });
    return true;
  }

  #submit(text: string, state: EditorState): void {
    if (text.trim() === "") return this.#edit(state);
    this.#state = state;
    this.send(text);
  }

  #edit(state: EditorState): void {
    this.#state = state;
    this.#options.screen.redrawFooter();
  }

  /** The prompt stays above its answer. */
  #echo(text: string): void {
    const { screen, style } = this.#options;
    const lines = sanitize(text).split("\n");
    const rest = lines.length - SHOWN_LINES;
    const shown = rest > 0 ? [...lines.slice(0, SHOWN_LINES), `… ${rest} more lines`] : lines;
    const [first = "", ...more] = shown;
    screen.printLine(
      [`${style("bold", ">")} ${first}`, ...more.map((line) => `  ${line}`)].join("\n"),
    );
  }
}
