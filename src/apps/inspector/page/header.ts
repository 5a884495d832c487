import { html, nothing, type TemplateResult } from "lit-html";
import { partiesOf } from "../compare.ts";
import { sessionDetails } from "../../../trace/index.ts";
import type { App, PageTheme } from "./app.ts";
import { bytes, clock, count, counted, duration, line } from "./parts/format.ts";
import { icon, chip, iconButton, toggle } from "./parts/ui.ts";
import type { PageRecording } from "./recording.ts";

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
    <li class="figure">${counted(frames.count, "frame")}, ${bytes(frames.lines.bytes)}</li>
    ${isTimed && model.lastMs > 0 ? html`<li class="figure">${duration(model.lastMs)}</li>` : nothing}
    ${sessions.length === 1 ? nothing : html`<li>${counted(sessions.length, "session")}</li>`}
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
              <summary>${counted(info.losses.length, "limit")} of this capture</summary>
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
