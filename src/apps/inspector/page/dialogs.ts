import { html, nothing, type TemplateResult } from "lit-html";
import { contentLeft } from "../export/recording.ts";
import { firstWords } from "../../../trace/index.ts";
import type { App } from "./app.ts";
import { type CopyChoice, copyText, download, type DownloadChoice } from "./exports.ts";
import { KEYS } from "./keys.ts";
import { VIEWS } from "./link.ts";
import { count, countOf, line } from "./parts/format.ts";
import { icon, iconButton, type Shown } from "./parts/ui.ts";

interface Command {
  readonly name: string;
  readonly note?: string;
  readonly run: () => void;
}

const MOST_COMMANDS = 40;

export interface DialogChoices {
  readonly copies: () => readonly CopyChoice[];
  readonly downloads: () => readonly DownloadChoice[];
}

/** The dialogs of the page. At most one is open. */
export class Dialogs {
  readonly #app: App;
  readonly #choices: DialogChoices;
  readonly #contents = {
    help: () => this.#help(),
    copy: () => this.#copy(),
    export: () => this.#export(),
    palette: () => this.#palette(),
  };
  #query = "";
  #active = 0;
  #before: Element | null = null;

  constructor(app: App, choices: DialogChoices) {
    this.#app = app;
    this.#choices = choices;
  }

  render(): TemplateResult {
    const { dialog } = this.#app;
    return html`<dialog
      id="dialog"
      class=${dialog ?? ""}
      aria-label=${TITLES[dialog ?? "help"]}
      @close=${({ target }: Event) => this.#closed(target)}
      @click=${(event: Event) => {
        if (event.target === event.currentTarget) this.#app.open(undefined);
      }}
    >
      ${dialog === undefined ? nothing : html`<div class="dialog-box">${this.#contents[dialog]()}</div>`}
    </dialog>`;
  }

  /** Opens or closes the element as the page says. */
  drawn(): void {
    const element = document.getElementById("dialog");
    if (!(element instanceof HTMLDialogElement)) return;
    const { dialog } = this.#app;
    if (dialog !== undefined && !element.open) {
      this.#before = document.activeElement;
      this.#query = "";
      this.#active = 0;
      element.showModal();
    } else if (dialog === undefined && element.open) element.close();
  }

  #closed(target: EventTarget | null): void {
    // The event is late: the next dialog may already be open.
    if (target instanceof HTMLDialogElement && target.open) return;
    if (this.#app.dialog !== undefined) this.#app.open(undefined);
    if (this.#before instanceof HTMLElement) this.#before.focus();
    this.#before = null;
  }

  #title(title: string): TemplateResult {
    return html`<div class="dialog-head">
      <h2>${title}</h2>
      ${iconButton("close", "Close", () => this.#app.open(undefined))}
    </div>`;
  }

  #help(): TemplateResult {
    return html`${this.#title(TITLES.help)}
      <dl class="keys">
        ${KEYS.map(
          ([keys, meaning]) =>
            html`<div>
              <dt>
                ${keys.split(" ").map((key) => (key === "…" ? "…" : html`<kbd>${key}</kbd> `))}
              </dt>
              <dd>${meaning}</dd>
            </div>`,
        )}
      </dl>`;
  }

  #copy(): TemplateResult {
    return html`${this.#title(TITLES.copy)}
    ${this.#menu(
      this.#choices.copies().map((choice) => ({
        name: line(choice.name),
        run: () => void copyText(this.#app, choice),
      })),
    )}`;
  }

  #menu(entries: readonly { readonly name: Shown; readonly run: () => void }[]): TemplateResult {
    return html`<ul class="menu">
      ${entries.map(
        ({ name, run }) =>
          html`<li>
            <button @click=${() => this.#run(run)}>${name}</button>
          </li>`,
      )}
    </ul>`;
  }

  #export(): TemplateResult {
    const { recording } = this.#app;
    if (!recording) return html``;
    const kinds = contentLeft(recording.model).map(([size, noun]) => countOf(size, noun));
    const { info } = recording;
    return html`${this.#title(TITLES.export)}
      ${this.#menu(
        this.#choices.downloads().map((choice) => ({
          name: html`<strong>${choice.name}</strong> <span class="muted">${choice.note}</span>`,
          run: () => void download(this.#app, choice),
        })),
      )}
      <div class="callout note">
        <p>
          ${
            info.redacted === false
              ? html`<strong>Secrets are not removed.</strong>`
              : html`Tokens, keys and passwords that are recognized are
                removed${info.hidden === undefined ? "" : ` (${count(info.hidden)} so far)`}.`
          }
          Everything else stays: ${kinds.join(", ") || "nothing"}. Look at it before you share it.
        </p>
      </div>`;
  }

  #palette(): TemplateResult {
    const commands = this.#commands();
    const active = Math.min(this.#active, commands.length - 1);
    return html`<div class="palette-head">
        ${icon("search")}
        <input
          type="text"
          role="combobox"
          aria-label="Command, view, turn or frame"
          aria-expanded="true"
          aria-controls="commands"
          aria-activedescendant=${commands.length > 0 ? `command-${active}` : nothing}
          placeholder="Command, view, turn or frame"
          autocomplete="off"
          autofocus
          .value=${this.#query}
          @input=${({ target }: Event) => {
            if (!(target instanceof HTMLInputElement)) return;
            this.#query = target.value;
            this.#active = 0;
            this.#app.render();
          }}
          @keydown=${(event: KeyboardEvent) => this.#paletteKey(event)}
        />
      </div>
      <ul class="menu" id="commands" role="listbox" aria-label="Commands">
        ${commands.map(
          ({ name, note = "", run }, index) =>
            html`<li
              id=${`command-${index}`}
              role="option"
              aria-selected=${index === active}
              @click=${() => this.#run(run)}
            >
              <span>${line(name)}</span> <span class="muted">${line(note)}</span>
            </li>`,
        )}
      </ul>
      ${commands.length === 0 ? html`<p class="muted pad">No command matches.</p>` : nothing}`;
  }

  #run(run: (() => void) | undefined): void {
    this.#app.open(undefined);
    run?.();
  }

  #paletteKey(event: KeyboardEvent): void {
    // The list on the screen may be older than the text.
    const commands = this.#commands();
    const last = commands.length - 1;
    if (event.key === "ArrowDown") this.#active = Math.min(last, this.#active + 1);
    else if (event.key === "ArrowUp") this.#active = Math.max(0, this.#active - 1);
    else if (event.key === "Enter") {
      this.#run(commands[Math.min(this.#active, last)]?.run);
    } else return;
    event.preventDefault();
    this.#app.render();
    requestAnimationFrame(() =>
      document.getElementById(`command-${this.#active}`)?.scrollIntoView({ block: "nearest" }),
    );
  }

  #commands(): readonly Command[] {
    const app = this.#app;
    const { model } = app;
    const query = this.#query.trim().toLowerCase();
    const number = /^#?(\d[\d,]*)$/.exec(query)?.[1]?.replaceAll(",", "");
    const jump: Command[] = [];
    if (number !== undefined)
      jump.push({
        name: `Frame #${number}`,
        run: () => app.go({ view: "frames", row: Number(number) - 1, detail: "tree" }),
      });
    const all: Command[] = [
      ...VIEWS.map((view, index) => ({
        name: `Show ${view}`,
        note: String(index + 1),
        run: () => app.go({ view }),
      })),
      { name: "Copy …", note: "C", run: () => app.open("copy") },
      { name: "Export …", note: "e", run: () => app.open("export") },
      { name: "Keys and help", note: "?", run: () => app.open("help") },
    ];
    if (app.link.range)
      all.push({
        name: "Show the whole session",
        note: "Esc",
        run: () => app.go({ range: undefined }),
      });
    all.push(...turnCommands(app));
    if (query !== "" && model)
      all.push({
        name: `Filter frames: ${this.#query}`,
        run: () => app.go({ view: "frames", query: this.#query.trim() }),
      });
    const found = all.filter(({ name }) => query === "" || name.toLowerCase().includes(query));
    return [...jump, ...found].slice(0, MOST_COMMANDS);
  }
}

const TITLES = {
  help: "Keys",
  copy: "Copy",
  export: "Export",
  palette: "Commands",
} as const;

function turnCommands(app: App): readonly Command[] {
  const { model } = app;
  if (!model) return [];
  return model.turns.slice(0, 500).map(({ number, prompt }) => {
    const name = `Turn ${count(number + 1)}: ${firstWords(model, prompt).slice(0, 60)}`;
    return { name, run: () => app.select(prompt) };
  });
}
