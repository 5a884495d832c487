import { before } from "../editor/buffer.ts";
import type { Key } from "../editor/keys.ts";
import { menuRows } from "../editor/layout.ts";
import { columnsOf, cutToColumns } from "../render/terminal/columns.ts";
import { LiveArea, reflowsOnResize } from "../render/terminal/live-area.ts";
import { sanitizeLine } from "../../../base/index.ts";
import { plain, type Style } from "../render/terminal/style.ts";
import type { Asker, Dialogue } from "./asker.ts";
import { readKeys } from "./raw-keys.ts";

/** One thing to pick. Label and detail may hold any text: the picker makes it safe to show. */
export interface PickerItem<T> {
  readonly label: string;
  /** More about it, shown after the label. May be empty. */
  readonly detail: string;
  readonly value: T;
}

export interface PickOptions {
  /** The purpose of the choice, such as "resume a session". */
  readonly title: string;
  /** Closes the picker, which then resolves with undefined. */
  readonly signal?: AbortSignal | undefined;
  readonly style?: Style | undefined;
  /** The index of the item that is selected at first. Default: 0. */
  readonly selected?: number | undefined;
}

/**
 * Lets the user pick one of several items on the terminal: arrow keys move, typing filters, Enter
 * picks, Esc and Ctrl-C leave. A dumb terminal gets a numbered list instead. Resolves with undefined
 * if the user picks nothing, or if there is no terminal.
 */
export async function pick<T>(
  asker: Asker,
  items: readonly PickerItem<T>[],
  options: PickOptions,
): Promise<T | undefined> {
  if (items.length === 0) return undefined;
  const signal = options.signal ?? new AbortController().signal;
  return asker.ask(signal, (dialogue) =>
    dialogue.isDumb ? pickByNumber(dialogue, items, options) : pickByKeys(dialogue, items, options),
  );
}

async function pickByNumber<T>(
  dialogue: Dialogue,
  items: readonly PickerItem<T>[],
  { title }: PickOptions,
): Promise<T | undefined> {
  const lines = items.map(({ label, detail }, index) => `  ${index + 1}) ${label}  ${detail}`);
  dialogue.say(...[`${title}:`, ...lines].map((line) => sanitizeLine(line).trimEnd()));
  const read = (line: string): { value: T | undefined } | undefined => {
    if (line === "") return { value: undefined };
    const item = /^\d+$/.test(line) ? items[Number(line) - 1] : undefined;
    return item === undefined ? undefined : { value: item.value };
  };
  const range = `1-${items.length}`;
  const prompt = `Choose ${range} (leave empty for none): `;
  return (await dialogue.until(prompt, read, `Please enter ${range}.`))?.value;
}

function pickByKeys<T>(
  dialogue: Dialogue,
  items: readonly PickerItem<T>[],
  options: PickOptions,
): Promise<T | undefined> {
  const area = new LiveArea(reflowsOnResize(dialogue.io.env));
  let state = openPicker(items, options.selected ?? 0);
  const erase = (): void => dialogue.write(area.erase(dialogue.size.columns));
  const draw = (): void => {
    const { size } = dialogue;
    const live = pickerRows(state, size, options);
    dialogue.write(area.erase(size.columns) + area.draw(live, size.columns));
  };
  return new Promise((resolve) => {
    const settle = (value: T | undefined): void => {
      stop();
      erase();
      resolve(value);
    };
    const stop = readKeys(dialogue, {
      key: (key) => {
        const next = pressPicker(state, key);
        if (next.kind === "left") return settle(undefined);
        if (next.kind === "picked") return settle(next.item.value);
        state = next.state;
        draw();
      },
      stopping: erase,
      continued: draw,
      resized: draw,
      ended: () => settle(undefined),
    });
    draw();
  });
}

/** The state of a picker: everything that the keys change. */
export interface PickerState<T> {
  readonly items: readonly PickerItem<T>[];
  readonly filter: string;
  readonly matching: readonly PickerItem<T>[];
  readonly index: number;
}

export type PickerStep<T> =
  | { readonly kind: "open"; readonly state: PickerState<T> }
  | { readonly kind: "picked"; readonly item: PickerItem<T> }
  | { readonly kind: "left" };

export function openPicker<T>(items: readonly PickerItem<T>[], selected = 0): PickerState<T> {
  return { items, filter: "", matching: items, index: clamp(selected, items.length) };
}

const PAGE = 8;

const MOVES: Readonly<Record<string, number>> = {
  up: -1,
  "ctrl+p": -1,
  down: 1,
  "ctrl+n": 1,
  pageup: -PAGE,
  pagedown: PAGE,
  home: -Infinity,
  end: Infinity,
};

export function pressPicker<T>(state: PickerState<T>, key: Key): PickerStep<T> {
  if (key.type !== "key") return open(filtered(state, state.filter + oneLine(key.text)));
  switch (key.name) {
    case "escape":
    case "ctrl+c":
    case "ctrl+d":
    case "ctrl+g":
      return { kind: "left" };
    case "enter": {
      const item = state.matching[state.index];
      return item === undefined ? open(state) : { kind: "picked", item };
    }
    case "backspace":
      return open(
        filtered(state, state.filter.slice(0, before(state.filter, state.filter.length))),
      );
    case "ctrl+u":
      return open(filtered(state, ""));
    default: {
      const move = MOVES[key.name] ?? 0;
      return open({ ...state, index: clamp(state.index + move, state.matching.length) });
    }
  }
}

function open<T>(state: PickerState<T>): PickerStep<T> {
  return { kind: "open", state };
}

/** Every word of the filter has to occur in the label or the detail. */
function filtered<T>(state: PickerState<T>, filter: string): PickerState<T> {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  const matching = state.items.filter(({ label, detail }) => {
    const text = `${label} ${detail}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
  return { ...state, filter, matching, index: 0 };
}

function clamp(index: number, length: number): number {
  return Math.max(0, Math.min(index, length - 1));
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ");
}

/** The rows around the list: the title, the filter and the keys. */
const OTHER_ROWS = 3;
const MOST_ITEMS = 12;

export function pickerRows<T>(
  state: PickerState<T>,
  size: { readonly columns: number; readonly rows: number },
  { title, style = plain }: Pick<PickOptions, "title" | "style">,
): { readonly rows: readonly string[]; readonly cursor: { row: number; column: number } } {
  const { matching, index, filter } = state;
  const width = size.columns - 1;
  const most = Math.max(1, Math.min(MOST_ITEMS, size.rows - OTHER_ROWS - 1));
  const number = `${matching.length === 0 ? 0 : index + 1}/${matching.length}`;
  const typed = cutToColumns(`Filter: ${sanitizeLine(filter)}`, width - number.length - 1);
  return {
    rows: [
      style("bold", cutToColumns(sanitizeLine(title), width)),
      `${typed} ${style("dim", number)}`,
      ...menuRows(matching, index, { width, most, style }),
      style("dim", cutToColumns("↑↓ move · type to filter · Enter picks · Esc leaves", width)),
    ],
    cursor: { row: 1, column: columnsOf(typed) },
  };
}
