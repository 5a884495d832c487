import { html, type TemplateResult, nothing } from "lit-html";
import type { App } from "../app.ts";
import type { PageRecording } from "../recording.ts";
import { countOf, words, line } from "./format.ts";

export type Shown = TemplateResult | readonly unknown[] | symbol | string;

/** A view that has nothing to show, and why. */
export function empty(title: Shown, text: Shown = ""): TemplateResult {
  return html`<div class="empty">
    <h2>${title}</h2>
    <p>${text}</p>
  </div>`;
}

export function chip(text: Shown, run: () => void, name = "chip"): TemplateResult {
  return html`<button class=${name} @click=${run}>${text}</button>`;
}

export function link(text: Shown, run: () => void, title = ""): TemplateResult {
  return html`<button class="link figure" title=${title} @click=${run}>${text}</button>`;
}

export function iconButton(
  name: IconName,
  label: string,
  run: () => void,
  title = label,
  isDisabled = false,
): TemplateResult {
  return html`<button
    class="icon-button"
    aria-label=${label}
    title=${title}
    ?disabled=${isDisabled}
    @click=${run}
  >
    ${icon(name)}
  </button>`;
}

export function toggle(label: string, isOn: boolean, run: () => void): TemplateResult {
  return html`<label class="switch"
    ><input type="checkbox" .checked=${isOn} @change=${run} /> ${label}</label
  >`;
}

/** How many entries a list leaves out, if any. */
export function leftOut(hidden: number, noun: string, advice = ""): Shown {
  if (hidden <= 0) return nothing;
  return html`<p class="muted">${countOf(hidden, `more ${noun}`)}${advice}</p>`;
}

/** Advice for a list that leaves something out. */
export const NARROW = ". Narrow the time to see them.";

export function cards(label: string, content: Shown, name = "cards"): TemplateResult {
  return html`<div class=${name} tabindex="0" role="region" aria-label=${label}>${content}</div>`;
}

/** A column of a table. Those with `isNumber` are aligned to the right. */
export interface TableColumn<T> {
  readonly title: string;
  readonly isNumber?: boolean | undefined;
  readonly cell: (row: T) => Shown;
}

export function table<T>(
  label: string,
  columns: readonly TableColumn<T>[],
  rows: readonly T[],
  name = "data",
  rowName: (row: T) => string = () => "",
): TemplateResult {
  const kind = ({ isNumber }: TableColumn<T>): string => (isNumber === true ? "number" : "");
  return cards(
    label,
    html`<table class=${name}>
      <thead>
        <tr>
          ${columns.map((column) => html`<th class=${kind(column)}>${column.title}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          (row) =>
            html`<tr class=${rowName(row)}>
              ${columns.map((column) => html`<td class=${kind(column)}>${column.cell(row)}</td>`)}
            </tr>`,
        )}
      </tbody>
    </table>`,
    "scroll",
  );
}

export function element(tag: string, attributes: Readonly<Record<string, string>>): HTMLElement {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  return made;
}

/** A view without content, and why. Only a recording that was read to its end lacks something for good. */
export function absent(
  app: App,
  { state }: PageRecording,
  title: string,
  why: Shown,
): TemplateResult {
  if (app.link.range)
    return empty(
      `${title} in this stretch of time`,
      chip("Show the whole session", () => app.go({ range: undefined }), "button"),
    );
  if (state.type === "done") return empty(title, why);
  return empty(`${title} so far`, UNFINISHED[state.type]);
}

const UNFINISHED = {
  loading: "The recording is still being read.",
  live: "The session is still running.",
  interrupted: "The rest is shown when the connection is back.",
  failed: "Only a part of the recording could be read.",
} as const;

const PATHS = {
  search: "M11.5 7a4.5 4.5 0 1 1-9 0a4.5 4.5 0 1 1 9 0Zm-1.2 3.3 3.2 3.2",
  sun: "M11 8a3 3 0 1 1-6 0a3 3 0 1 1 6 0ZM8 1v1.5M8 13.5V15M1 8h1.5M13.5 8H15M3 3l1 1M12 12l1 1M13 3l-1 1M4 12l-1 1",
  moon: "M13.5 9.5A6 6 0 1 1 6.5 2.5a4.7 4.7 0 0 0 7 7Z",
  auto: "M14 8a6 6 0 1 1-12 0a6 6 0 1 1 12 0ZM8 2v12M10 2.4v11.2M12 3.6v8.8",
  download: "M8 2v8M4.5 7 8 10.5 11.5 7M2.5 13.5h11",
  copy: "M5.5 5.5h8v8h-8ZM10.5 5.5v-3h-8v8h3",
  close: "m4 4 8 8M12 4l-8 8",
  help: "M14 8a6 6 0 1 1-12 0a6 6 0 1 1 12 0ZM6.2 6.2a1.8 1.8 0 1 1 2.6 1.7c-.5.3-.8.6-.8 1.3M8 11.4v.1",
  warning: "M8 2 14.5 13.5h-13ZM8 6.5v3M8 11.4v.1",
  check: "m3 8.5 3.2 3.2L13 4.8",
  lock: "M3 7h10v6.5H3ZM5 7V5a3 3 0 0 1 6 0v2",
  minus: "M4 8h8",
  plus: "M4 8h8M8 4v8",
} as const;

export type IconName = keyof typeof PATHS;

/** A small picture, hidden from screen readers. */
export function icon(name: IconName): TemplateResult {
  return html`<svg class="icon" viewBox="0 0 16 16" aria-hidden="true">
    <path d=${PATHS[name]} />
  </svg>`;
}

/** The causes that the time of a turn is split by, in the order of their colors. */
export const CAUSES = ["agent", "tool", "client", "person"] as const;

export function statusChip(status: string): TemplateResult {
  return html`<span class="status" data-status=${status}>${line(words(status))}</span>`;
}
