import { html, type TemplateResult } from "lit-html";
import type { ListStep } from "../app.ts";
import { icon, type IconName } from "./icons.ts";

/** Anything that a template can show. */
export type Shown = TemplateResult | readonly unknown[] | symbol | string;

/** A view that has nothing to show, and why. */
export function empty(title: Shown, text: Shown = ""): TemplateResult {
  return html`<div class="empty">
    <h2>${title}</h2>
    <p>${text}</p>
  </div>`;
}

/** A small button. */
export function chip(text: Shown, run: () => void, name = "chip"): TemplateResult {
  return html`<button class=${name} @click=${run}>${text}</button>`;
}

/** A button that looks like a link. */
export function link(text: Shown, run: () => void, title = ""): TemplateResult {
  return html`<button class="link figure" title=${title} @click=${run}>${text}</button>`;
}

/** A button with a picture. */
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

/** A switch with its name. */
export function toggle(label: string, isOn: boolean, run: () => void): TemplateResult {
  return html`<label class="switch"
    ><input type="checkbox" .checked=${isOn} @change=${run} /> ${label}</label
  >`;
}

/** The content of a view that scrolls. */
export function cards(label: string, content: Shown, name = "cards"): TemplateResult {
  return html`<div class=${name} tabindex="0" role="region" aria-label=${label}>${content}</div>`;
}

/** A column of a table. Those with `isNumber` are aligned to the right. */
export interface TableColumn<T> {
  readonly title: string;
  readonly isNumber?: boolean | undefined;
  readonly cell: (row: T) => Shown;
}

/** A table. */
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

/** Where a step leads from a place in a list; -1 for an empty list. */
export function stepped(step: ListStep, at: number, last: number, page: number): number {
  const to = {
    next: at + 1,
    previous: at - 1,
    pageDown: at + page,
    pageUp: at - page,
    first: 0,
    last,
  }[step];
  return Math.min(last, Math.max(0, to));
}

/** A new element with its attributes. */
export function element(tag: string, attributes: Readonly<Record<string, string>>): HTMLElement {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  return made;
}

/** Returns a function that scrolls to the selected element when another frame was selected. */
export function revealer(selector: string): (row: number) => void {
  let last = -1;
  return (row) => {
    if (row === last) return;
    last = row;
    document.querySelector(selector)?.scrollIntoView({ block: "nearest" });
  };
}
