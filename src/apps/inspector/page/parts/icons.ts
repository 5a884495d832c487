import { html, type TemplateResult } from "lit-html";

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

/** The names of the pictures. */
export type IconName = keyof typeof PATHS;

/** A small picture, hidden from screen readers. */
export function icon(name: IconName): TemplateResult {
  return html`<svg class="icon" viewBox="0 0 16 16" aria-hidden="true">
    <path d=${PATHS[name]} />
  </svg>`;
}
