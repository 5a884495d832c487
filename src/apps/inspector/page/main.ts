/** The script of the page of `dragoman inspect`. */
import { App, type PageView, type PageTheme } from "./app.ts";
import { parseLink, splitToken, type ViewName, VIEWS } from "./link.ts";
import { embeddedSource, servedSource } from "./source.ts";
import { html, nothing, render, type TemplateResult } from "lit-html";
import { copyChoices, downloadChoices } from "./exports.ts";
import { FrameDetail } from "./detail.ts";
import { Dialogs } from "./dialogs.ts";
import { handleKey } from "./keys.ts";
import { count, countOf, bytes, clock, duration, line } from "./parts/format.ts";
import { icon, empty, chip, iconButton, toggle } from "./parts/ui.ts";
import type { PageRecording } from "./recording.ts";
import { TimeStrip } from "./timeline/strip.ts";
import { TimelineView } from "./timeline/view.ts";
import { CompareView } from "./views/compare.ts";
import { ConversationView } from "./views/conversation.ts";
import { FindingsView } from "./views/findings.ts";
import { FramesView } from "./views/frames.ts";
import { NumbersView } from "./views/numbers.ts";
import { PermissionsView } from "./views/permissions.ts";
import { StderrView } from "./views/stderr.ts";
import { ToolsView } from "./views/tools.ts";
import { partiesOf } from "../compare.ts";
import { sessionDetails } from "../../../trace/index.ts";

/** A live session is announced to screen readers at most this often. */
const STATUS_MS = 5000;

class Page {
  readonly #app: App;
  readonly #root: HTMLElement;
  readonly #strip: TimeStrip;
  readonly #detail: FrameDetail;
  readonly #dialogs: Dialogs;
  readonly #frames: FramesView;
  readonly #views: Readonly<Record<ViewName, PageView>>;
  /** The tab that was scrolled to. */
  #shown = "";
  #status = "";
  #statusAt = 0;

  constructor(app: App, root: HTMLElement) {
    this.#app = app;
    this.#root = root;
    this.#strip = new TimeStrip(app);
    this.#detail = new FrameDetail(app);
    this.#frames = new FramesView(app);
    this.#views = {
      conversation: new ConversationView(app),
      timeline: new TimelineView(app),
      frames: this.#frames,
      tools: new ToolsView(app),
      permissions: new PermissionsView(app),
      numbers: new NumbersView(app),
      findings: new FindingsView(app),
      stderr: new StderrView(app),
      compare: new CompareView(app),
    };
    const copies = () => copyChoices(app, this.#detail.chosen, this.#frames.shownRows);
    this.#dialogs = new Dialogs(app, {
      copies,
      downloads: () =>
        app.recording ? downloadChoices(app.recording, this.#frames.shownRows) : [],
    });
    const targets = { app, copies, view: () => this.#views[app.link.view] };
    document.addEventListener("keydown", (event) => handleKey(targets, event));
    window.addEventListener("popstate", () => app.goTo(location.hash));
    window.addEventListener("hashchange", () => app.goTo(location.hash));
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => app.render());
  }

  render(): void {
    const { link, recording } = this.#app;
    render(this.#content(), this.#root);
    this.#strip.draw();
    // Numbers make the tabs wider when a recording has been read.
    const shown = `${link.view} ${recording?.state.type ?? ""}`;
    if (shown !== this.#shown) {
      this.#shown = shown;
      const tab = document.querySelector(".tab[aria-current]");
      tab?.scrollIntoView({ block: "nearest", inline: "nearest" });
    }
    if (recording) this.#views[link.view].drawn?.(recording);
    this.#dialogs.drawn();
  }

  #content(): TemplateResult {
    const app = this.#app;
    const { recording, failure, link } = app;
    const hasStrip = recording?.isTimed === true && recording.model.frames.count > 0;
    const hasDetail = recording !== undefined && link.row >= 0 && link.detail !== undefined;
    return html`<a class="skip" href="#view" @click=${(event: Event) => skip(event)}
        >Skip to the view</a
      >
      ${header(app)}
      <div class="strip-box" ?hidden=${!hasStrip}>${this.#strip.element}</div>
      ${recording ? this.#tabs(recording) : nothing}
      <div class=${hasDetail ? "body with-detail" : "body"}>
        <main id="view" tabindex="-1" aria-label=${link.view}>
          ${recording ? this.#view(recording) : this.#waiting(failure)}
        </main>
        ${
          hasDetail
            ? html`<section class="detail" aria-label="Frame">
                ${this.#views[link.view].detail?.(recording) ?? this.#detail.render(recording)}
              </section>`
            : nothing
        }
      </div>
      <div class="sr" role="status">${this.#announcement(recording)}</div>
      <div class="toast" role="status" ?hidden=${app.toast === ""}>${app.toast}</div>
      ${this.#dialogs.render()}`;
  }

  #view(recording: PageRecording): TemplateResult {
    const { state } = recording;
    const isBroken = state.type === "failed" || state.type === "interrupted";
    const isEmpty = recording.model.frames.count === 0;
    if (isEmpty && state.type === "loading") return empty("Reading the recording …");
    if (isEmpty && state.type === "failed") return this.#waiting(state.message);
    return html`${
      isBroken ? html`<p class="banner">${icon("warning")} ${state.message}</p>` : nothing
    }${this.#views[this.#app.link.view].render(recording)}`;
  }

  #waiting(failure: string | undefined): TemplateResult {
    if (failure !== undefined) return empty(html`${icon("warning")} Nothing can be shown`, failure);
    if (!this.#app.isAnswered) return empty("Loading the sessions …");
    return empty("Waiting for a session", "It appears here as soon as a client connects.");
  }

  #tabs(recording: PageRecording): TemplateResult {
    const { model, findings } = recording;
    const sizes: Readonly<Partial<Record<ViewName, number | undefined>>> = {
      conversation: model.items.length,
      frames: model.frames.count,
      tools: model.toolCalls.length,
      permissions: model.permissions.length,
      findings: findings?.length,
    };
    const hasErrors = findings?.some(({ severity }) => severity === "error") === true;
    const { link, sessions } = this.#app;
    const shown = VIEWS.filter(
      (view) => view !== "compare" || sessions.length > 1 || link.view === view,
    );
    return html`<nav class="tabs" aria-label="Views">
      ${shown.map((view) => {
        const size = sizes[view] ?? 0;
        return html`<button
          class=${view === "findings" && hasErrors ? "tab has-errors" : "tab"}
          aria-label=${size === 0 ? TITLES[view] : `${TITLES[view]}, ${count(size)}`}
          aria-current=${view === link.view ? "page" : nothing}
          title=${`${VIEWS.indexOf(view) + 1}`}
          @click=${() => this.#app.go({ view })}
        >
          ${TITLES[view]}
          ${size === 0 ? nothing : html`<span class="tab-count figure">${count(size)}</span>`}
        </button>`;
      })}
    </nav>`;
  }

  /** How a live session stands, but not for every frame. */
  #announcement(recording: PageRecording | undefined): string {
    if (!recording) return "";
    const now = performance.now();
    if (now - this.#statusAt < STATUS_MS && recording.state.type === "live") return this.#status;
    const { findings, model } = recording;
    const { frames, turns } = model;
    this.#statusAt = now;
    this.#status =
      recording.state.type === "loading"
        ? ""
        : [
            countOf(frames.count, "frame"),
            countOf(turns.length, "turn"),
            ...(findings ? [countOf(findings.length, "finding")] : []),
          ].join(", ");
    return this.#status;
  }
}

const TITLES: Readonly<Record<ViewName, string>> = {
  conversation: "Conversation",
  timeline: "Timeline",
  frames: "Frames",
  tools: "Tools",
  permissions: "Permissions",
  numbers: "Numbers",
  findings: "Findings",
  stderr: "Stderr",
  compare: "Compare",
};

/** The fragment of the address belongs to the links of the page. */
function skip(event: Event): void {
  event.preventDefault();
  document.getElementById("view")?.focus();
}

/** Takes the token out of the address, and keeps it for this tab, so that the page can be loaded again. */
function takeToken(): string | undefined {
  const { token, rest } = splitToken(location.hash);
  try {
    if (token === undefined) return sessionStorage.getItem("token") ?? undefined;
    sessionStorage.setItem("token", token);
  } catch {
    // Without storage the token lives as long as the page.
  }
  if (token !== undefined)
    history.replaceState(undefined, "", rest === "" ? location.pathname : rest);
  return token;
}

function start(): void {
  const source = embeddedSource(document) ?? servedSource(takeToken());
  const app = new App(source, parseLink(location.hash));
  try {
    const theme = localStorage.getItem("theme");
    if (theme === "light" || theme === "dark") {
      app.theme = theme;
      document.documentElement.dataset["theme"] = theme;
    }
  } catch {
    // The theme of the system is used.
  }
  const root = document.createElement("div");
  root.className = "app";
  document.body.append(root);
  const page = new Page(app, root);
  app.onRender = () => page.render();
  void app.start();
}

const NEXT_THEME: Readonly<Record<PageTheme, PageTheme>> = {
  auto: "light",
  light: "dark",
  dark: "auto",
};
const THEME_ICONS = { auto: "auto", light: "sun", dark: "moon" } as const;

/** The first lines of the page: who talks to whom, where, and how it stands. */
export function header(app: App): TemplateResult {
  const { recording } = app;
  return html`<header class="top">
    <div class="who-row">
      <span class="brand" aria-hidden="true"><i></i><i></i><i></i></span>
      <div class="parties">${recording ? parties(recording) : html`<h1>dragoman inspect</h1>`}</div>
      ${recording ? state(app, recording) : nothing}
      <span class="spacer"></span>
      ${sessionChoice(app)}
      <div class="actions">
        <button
          class="button search-button"
          title="Commands (Ctrl-K)"
          @click=${() => app.open("palette")}
        >
          ${icon("search")}<span class="wide-only">Go to …</span><kbd class="wide-only">Ctrl K</kbd>
          <span class="sr">Open the list of commands</span>
        </button>
        ${iconButton("copy", "Copy", () => app.open("copy"), "Copy (C)", !recording)}
        ${iconButton("download", "Export", () => app.open("export"), "Export (e)", !recording)}
        ${iconButton(THEME_ICONS[app.theme], `Theme: ${app.theme}`, () => setTheme(app, NEXT_THEME[app.theme]))}
        ${iconButton("help", "Keys and help", () => app.open("help"), "Keys (?)")}
      </div>
    </div>
    ${recording ? facts(app, recording) : nothing}
  </header>`;
}

function setTheme(app: App, theme: PageTheme): void {
  app.theme = theme;
  if (theme === "auto") delete document.documentElement.dataset["theme"];
  else document.documentElement.dataset["theme"] = theme;
  try {
    localStorage.setItem("theme", theme);
  } catch {
    // A browser may forbid storage; the theme then holds until the page is closed.
  }
  app.render();
}

function parties({ model, info }: PageRecording): TemplateResult {
  const { agent, client } = partiesOf(model);
  return html`<h1>
      ${
        agent
          ? html`${line(agent.name)} <span class="version">${line(agent.version ?? "")}</span>`
          : line(info.name || "Session")
      }
    </h1>
    ${
      client
        ? html`<span class="client"
            >with ${line(client.name)}
            <span class="version">${line(client.version ?? "")}</span></span
          >`
        : nothing
    }`;
}

function state(app: App, recording: PageRecording): TemplateResult {
  const { exit } = recording.model;
  const { type } = recording.state;
  const ended = exit
    ? exit.signal === null
      ? `Exited with ${exit.code ?? "an unknown code"}`
      : `Ended by ${line(exit.signal)}`
    : undefined;
  const isBadEnd = exit !== undefined && exit.code !== 0;
  switch (type) {
    case "loading":
      return html`<span class="pill">Reading …</span>`;
    case "live":
      return html`<span class="pill live"><i class="dot"></i>Live</span> ${toggle(
          "Follow",
          app.isFollowing,
          () => {
            app.isFollowing = !app.isFollowing;
            app.render();
          },
        )}`;
    case "interrupted":
    case "failed":
      return html`<span class="pill bad-pill" title=${recording.state.message}
        >${type === "failed" ? "Failed" : "Reconnecting …"}</span
      >`;
    case "done":
      return html`<span class=${isBadEnd ? "pill bad-pill" : "pill"}>${ended ?? "Recorded"}</span>`;
  }
}

function sessionChoice(app: App): TemplateResult | typeof nothing {
  if (app.sessions.length < 2) return nothing;
  const shown = app.recording?.info.id;
  return html`<select
    class="session-choice"
    aria-label="Recording"
    @change=${({ target }: Event) => {
      if (target instanceof HTMLSelectElement)
        app.go({ session: target.value, row: -1, detail: undefined, range: undefined });
    }}
  >
    ${app.sessions.map(
      ({ id, name, live }) =>
        html`<option value=${id} ?selected=${id === shown}>
          ${line(name)}${live ? " (live)" : ""}
        </option>`,
    )}
  </select>`;
}

function facts(app: App, recording: PageRecording): TemplateResult {
  const { model, info, isTimed } = recording;
  const { frames, sessions, header: head } = model;
  const [first] = sessions;
  const cwd = head.cwd ?? (first && sessionDetails(model, first).cwd);
  const { protocolVersion } = partiesOf(model);
  const isRedacted = info.redacted ?? head.redacted;
  const { range } = app.link;
  return html`<ul class="facts-row" aria-label="About this recording">
    ${protocolVersion === undefined ? nothing : html`<li>ACP v${protocolVersion}</li>`}
    <li class="figure">${countOf(frames.count, "frame")}, ${bytes(frames.lines.bytes)}</li>
    ${isTimed && model.lastMs > 0 ? html`<li class="figure">${duration(model.lastMs)}</li>` : nothing}
    ${sessions.length === 1 ? nothing : html`<li>${countOf(sessions.length, "session")}</li>`}
    ${cwd === undefined ? nothing : html`<li class="cwd" title=${line(cwd)}><code>${line(cwd)}</code></li>`}
    ${
      isRedacted === false
        ? html`<li class="warn-fact">${icon("warning")} Secrets are not removed</li>`
        : isRedacted === true
          ? html`<li>
              ${icon("lock")} Secrets
              removed${info.hidden === undefined || info.hidden === 0 ? "" : ` (${count(info.hidden)})`}
            </li>`
          : nothing
    }
    ${
      info.losses.length > 0
        ? html`<li>
            <details class="losses">
              <summary>${countOf(info.losses.length, "limit")} of this capture</summary>
              <ul>
                ${info.losses.map(({ text }) => html`<li>${line(text)}</li>`)}
              </ul>
            </details>
          </li>`
        : nothing
    }
    ${
      range
        ? html`<li>
            ${chip(
              html`Only ${clock(range[0])} to ${clock(range[1])} ${icon("close")}
                <span class="sr">Show the whole session</span>`,
              () => app.go({ range: undefined }),
              "chip narrowed",
            )}
          </li>`
        : nothing
    }
  </ul>`;
}

start();
