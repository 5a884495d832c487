import { html, svg, type SVGTemplateResult, type TemplateResult } from "lit-html";

const PATHS = {
  search: svg`<circle cx="7" cy="7" r="4.5" /><path d="m10.5 10.5 3 3" />`,
  sun: svg`<circle cx="8" cy="8" r="3" /><path d="M8 1v1.5M8 13.5V15M1 8h1.5M13.5 8H15M3 3l1 1M12 12l1 1M13 3l-1 1M4 12l-1 1" />`,
  moon: svg`<path d="M13.5 9.5A6 6 0 1 1 6.5 2.5a4.7 4.7 0 0 0 7 7Z" />`,
  auto: svg`<circle cx="8" cy="8" r="6" /><path d="M8 2v12a6 6 0 0 0 0-12Z" fill="currentColor" />`,
  download: svg`<path d="M8 2v8M4.5 7 8 10.5 11.5 7M2.5 13.5h11" />`,
  copy: svg`<rect x="5.5" y="5.5" width="8" height="8" rx="1.5" /><path d="M10.5 5.5v-2a1 1 0 0 0-1-1h-6a1 1 0 0 0-1 1v6a1 1 0 0 0 1 1h2" />`,
  close: svg`<path d="m4 4 8 8M12 4l-8 8" />`,
  help: svg`<circle cx="8" cy="8" r="6" /><path d="M6.2 6.2a1.8 1.8 0 1 1 2.6 1.7c-.5.3-.8.6-.8 1.3M8 11.4v.1" />`,
  down: svg`<path d="m4 6 4 4 4-4" />`,
  warning: svg`<path d="M8 2 14.5 13.5h-13ZM8 6.5v3M8 11.4v.1" />`,
  check: svg`<path d="m3 8.5 3.2 3.2L13 4.8" />`,
  lock: svg`<rect x="3" y="7" width="10" height="6.5" rx="1.5" /><path d="M5 7V5a3 3 0 0 1 6 0v2" />`,
  mark: svg`<path d="M2.5 4.5h7M2.5 8h11M6.5 11.5h7" />`,
} satisfies Readonly<Record<string, SVGTemplateResult>>;

/** The names of the pictures. */
export type IconName = keyof typeof PATHS;

/** A small picture, hidden from screen readers. */
export function icon(name: IconName): TemplateResult {
  return html`<svg class="icon" viewBox="0 0 16 16" aria-hidden="true">${PATHS[name]}</svg>`;
}
