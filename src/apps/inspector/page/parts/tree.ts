import { html, nothing, type TemplateResult } from "lit-html";
import { isJsonObject } from "../../../../base/index.ts";
import { count, line, lines } from "./format.ts";

/** Values nested deeper than this are closed at first. */
const OPEN_DEPTH = 4;
/** Longer lists and texts open in pieces. */
const PIECE_ITEMS = 100;
const PIECE_CHARS = 2000;
const UNKNOWN = "The schema does not have this field.";
/** Deeper values are shown as text. */
const MOST_DEPTH = 200;

/** A JSON value as a tree whose parts open and close. */
export class JsonTree {
  /** The part that was chosen last, as a path such as `.params.update`. */
  path = "";
  readonly #onChange: () => void;
  readonly #toggled = new Set<string>();
  readonly #more = new Map<string, number>();
  #value: unknown;
  #fields: Readonly<Record<string, string>> | undefined;

  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  get chosen(): unknown {
    return this.path === "" ? this.#value : valueAt(this.#value, this.path);
  }

  /** `fields` are the descriptions of fields by path; undefined if the schema does not know the message. */
  render(value: unknown, fields?: Readonly<Record<string, string>>): TemplateResult {
    this.#fields = fields;
    if (value !== this.#value) {
      this.#toggled.clear();
      this.#more.clear();
      this.path = "";
      this.#value = value;
    }
    const root = isNested(value)
      ? this.#children("", entriesOf(value), Array.isArray(value), 0)
      : this.#node("", "", value, 0);
    return html`<div class="tree">${root}</div>
      <p class="muted">${this.#about(this.path)}</p>`;
  }

  #node(name: string, path: string, value: unknown, depth: number): TemplateResult {
    if (!isNested(value) || depth > MOST_DEPTH)
      return html`<div class="leaf">${this.#name(name, path)}${this.#scalar(path, value)}</div>`;
    const entries = entriesOf(value);
    const isList = Array.isArray(value);
    const isOpen = depth < OPEN_DEPTH !== this.#toggled.has(path) && entries.length > 0;
    const size = isList
      ? `[${count(entries.length)}]`
      : entries.length === 0
        ? "{}"
        : isOpen
          ? ""
          : `{ ${line(Object.keys(value).slice(0, 4).join(", "))}${entries.length > 4 ? ", …" : ""} }`;
    return html`<div class="branch">
      ${
        entries.length === 0
          ? nothing
          : html`<button
              class="twist"
              aria-expanded=${isOpen}
              aria-label=${`${isOpen ? "Close" : "Open"} ${line(name)}`}
              @click=${() => this.#toggle(path)}
            ></button>`
      }
      ${this.#name(name, path)}<span class="muted">${size}</span>
      ${isOpen ? this.#children(path, entries, isList, depth) : nothing}
    </div>`;
  }

  #children(
    path: string,
    entries: readonly (readonly [string | number, unknown])[],
    isList: boolean,
    depth: number,
  ): TemplateResult {
    const shown = this.#more.get(path) ?? PIECE_ITEMS;
    const rest = entries.length - shown;
    return html`<div class="children">
      ${entries
        .slice(0, shown)
        .map(([key, child]) =>
          this.#node(String(key), isList ? `${path}[${key}]` : `${path}.${key}`, child, depth + 1),
        )}
      ${
        rest > 0
          ? html`<button class="link" @click=${() => this.#showMore(path, shown * 4)}>
              ${count(rest)} more
            </button>`
          : nothing
      }
    </div>`;
  }

  #name(name: string, path: string): TemplateResult | typeof nothing {
    if (name === "") return nothing;
    const isChosen = this.path === path;
    const about = this.#about(path);
    const isOwn = name.startsWith("_") || about === UNKNOWN;
    return html`<button
        class=${`key ${isChosen ? "chosen" : ""} ${isOwn ? "own" : ""}`}
        title=${about || path.slice(1)}
        aria-pressed=${isChosen}
        @click=${() => this.#choose(path)}
      >
        ${line(name)}</button
      ><span class="muted">: </span>`;
  }

  /** The schema's sentence about a field. Values that the schema leaves open have no declared fields. */
  #about(path: string): string {
    const place = path.replaceAll(/\[\d+\]/g, "[]");
    const parent = place.replace(/[^.]*$/, "");
    const { [place]: about, ...others } = this.#fields ?? {};
    const isOpen = path.endsWith("]") || !Object.keys(others).some((key) => key.startsWith(parent));
    return path === "" || isOpen ? (about ?? "") : (about ?? UNKNOWN);
  }

  #scalar(path: string, value: unknown): TemplateResult {
    if (typeof value !== "string")
      return html`<span class=${`value ${value === null ? "null" : typeof value}`}
        >${isNested(value) ? "…" : String(value)}</span
      >`;
    const shown = this.#more.get(path) ?? PIECE_CHARS;
    const cut = value.slice(0, shown);
    const isLong = value.includes("\n") || value.length > 120;
    return html`<span class=${`value string ${isLong ? "long" : ""}`}>${lines(cut)}</span>${
        value.length > shown
          ? html` <button class="link" @click=${() => this.#showMore(path, value.length)}>
              ${count(value.length - shown)} more characters
            </button>`
          : nothing
      }`;
  }

  #toggle(path: string): void {
    if (!this.#toggled.delete(path)) this.#toggled.add(path);
    this.#onChange();
  }

  #choose(path: string): void {
    this.path = this.path === path ? "" : path;
    this.#onChange();
  }

  #showMore(path: string, size: number): void {
    this.#more.set(path, size);
    this.#onChange();
  }
}

function entriesOf(value: object): readonly (readonly [string | number, unknown])[] {
  return Array.isArray(value) ? [...value.entries()] : Object.entries(value);
}

function isNested(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

function valueAt(value: unknown, path: string): unknown {
  let at = value;
  for (const [, key, index] of path.matchAll(/\.([^.[\]]+)|\[(\d+)\]/g)) {
    if (key !== undefined) at = isJsonObject(at) ? at[key] : undefined;
    else at = Array.isArray(at) ? at[Number(index)] : undefined;
  }
  return at;
}
