import type { TemplateResult } from "lit-html";
import type { PageSession } from "../export/page.ts";
import type { SessionModel } from "../../../trace/index.ts";
import { formatLink, type PageLink, parseLink } from "./link.ts";
import { PageRecording } from "./recording.ts";
import type { PageSource } from "./source.ts";
import { RECOMPUTE_MS } from "./work.ts";

export type ListStep = "next" | "previous" | "pageDown" | "pageUp" | "first" | "last";

/** One view of the page. */
export abstract class PageView {
  protected readonly app: App;

  constructor(app: App) {
    this.app = app;
  }

  abstract render(recording: PageRecording): TemplateResult;
  /** Called after the content was drawn. */
  drawn?(recording: PageRecording): void;
  move?(step: ListStep, recording: PageRecording): void;
  /** The content of the panel beside the view, if it is not the selected frame. */
  detail?(recording: PageRecording): TemplateResult | undefined;
  /** Returns whether it handled the key. */
  key?(key: string, recording: PageRecording): boolean;
}

/** The themes: as the system says, or chosen. */
export type PageTheme = "auto" | "light" | "dark";

/** New data is drawn at most this often. */
const DRAW_MS = 150;
/** While data arrives, drawing takes at most this fraction of the time: one in 12. */
const DRAW_SHARE = 12;
const MOST_DRAW_MS = 1000;
const SESSIONS_MS = 2000;

/** The state of the page. Views read it and call its methods. */
export class App {
  readonly source: PageSource;
  sessions: readonly PageSession[] = [];
  /** Whether the source has named its sessions. */
  isAnswered = false;
  link: PageLink;
  /** Why nothing can be shown. */
  failure: string | undefined;
  /** Whether runs of chunks are one row. */
  isFolded = true;
  /** Whether times are relative to the selected frame. */
  isRelative = false;
  /** Whether the newest entry stays in view. */
  isFollowing = true;
  dialog: "help" | "palette" | "export" | "copy" | undefined;
  /** A short message, such as that something was copied. */
  toast = "";
  theme: PageTheme = "auto";
  /** Draws the page. Set by the page itself. */
  onRender: () => void = () => {};
  readonly #recordings = new Map<string, PageRecording>();
  #frame = 0;
  /** When new data was drawn last. */
  #drawnAt = 0;
  #drawMs = 0;
  #lateTimer: ReturnType<typeof setTimeout> | undefined;
  #toastTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(source: PageSource, link: PageLink) {
    this.source = source;
    this.link = link;
  }

  /** The recording that is shown; undefined before there is one. */
  get recording(): PageRecording | undefined {
    const { session } = this.link;
    const info = this.sessions.find(({ id }) => id === session) ?? this.sessions[0];
    return info && this.#opened(info);
  }

  /** The recording that it is compared with; undefined if there is only one. */
  get other(): PageRecording | undefined {
    const { other } = this.link;
    const shown = this.recording?.info.id;
    const rest = this.sessions.filter(({ id }) => id !== shown);
    const info = rest.find(({ id }) => id === other) ?? rest[0];
    return info && this.#opened(info);
  }

  get model(): SessionModel | undefined {
    return this.recording?.model;
  }

  /** Asks for the sessions, and again while some may come. */
  async start(): Promise<void> {
    for (;;) {
      try {
        this.sessions = await this.source.sessions();
        this.isAnswered = true;
        this.failure = undefined;
      } catch (error) {
        if (this.sessions.length === 0)
          this.failure = error instanceof Error ? error.message : String(error);
      }
      this.render();
      const isOpen = this.sessions.length === 0 || this.sessions.some(({ live }) => live);
      if (!this.source.isServed || !isOpen) return;
      await new Promise((resolve) => setTimeout(resolve, SESSIONS_MS));
    }
  }

  #opened(info: PageSession): PageRecording {
    const known = this.#recordings.get(info.id);
    if (known) return known;
    const recording = new PageRecording(info, this.source, () => this.dataChanged());
    this.#recordings.set(info.id, recording);
    void recording.read();
    return recording;
  }

  /** Draws the page with the next frame of the screen. */
  render(): void {
    if (this.#frame !== 0) return;
    this.#frame = requestAnimationFrame(() => {
      this.#frame = 0;
      const started = performance.now();
      this.onRender();
      this.#drawMs = performance.now() - started;
    });
  }

  /** Draws the page soon, and once more when expensive numbers may be computed again. */
  dataChanged(): void {
    const now = performance.now();
    const pause = Math.min(MOST_DRAW_MS, Math.max(DRAW_MS, DRAW_SHARE * this.#drawMs));
    if (now - this.#drawnAt >= pause) {
      this.#drawnAt = now;
      this.render();
    }
    clearTimeout(this.#lateTimer);
    this.#lateTimer = setTimeout(() => this.render(), RECOMPUTE_MS);
  }

  /**
   * Changes what is shown. With `push`, the Back button leads to the page as it was. Moving within a list
   * replaces the address instead.
   */
  go(change: Partial<PageLink>, how: "push" | "replace" = "push"): void {
    const before = formatLink(this.link);
    this.link = { ...this.link, ...change };
    const after = formatLink(this.link);
    if (after !== before) {
      if (how === "push") history.pushState(undefined, "", after);
      else history.replaceState(undefined, "", after);
    }
    this.render();
  }

  goTo(fragment: string): void {
    this.link = parseLink(fragment);
    this.dialog = undefined;
    this.render();
  }

  /** Selects a frame. With `open`, its detail opens. */
  select(row: number, { open = false }: { readonly open?: boolean } = {}): void {
    if (row < 0) return;
    this.isFollowing = false;
    if (open && this.link.detail === undefined) this.go({ row, detail: "tree" });
    else this.go({ row }, "replace");
  }

  show(view: PageLink["view"], row: number): void {
    this.isFollowing = false;
    this.go({ view, row });
  }

  /** Whether a time is in the stretch that the page is narrowed to. */
  isInRange(fromMs: number, toMs = fromMs): boolean {
    const { range } = this.link;
    return !range || (toMs >= range[0] && fromMs <= range[1]);
  }

  open(dialog: App["dialog"]): void {
    this.dialog = dialog;
    // At once, so that the next key goes to the dialog.
    this.onRender();
  }

  say(message: string): void {
    this.toast = message;
    clearTimeout(this.#toastTimer);
    this.#toastTimer = setTimeout(() => {
      this.toast = "";
      this.render();
    }, 2500);
    this.render();
  }
}
