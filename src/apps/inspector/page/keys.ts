import type { App, ListStep, PageView } from "./app.ts";
import { type CopyChoice, copyText } from "./exports.ts";
import { VIEWS } from "./link.ts";

/** The parts of the page that keys act on. */
export interface KeyTargets {
  readonly app: App;
  readonly view: () => PageView;
  readonly copies: () => readonly CopyChoice[];
}

/** The keys and their meanings, for the help. */
export const KEYS: readonly (readonly [keys: string, meaning: string])[] = [
  ["1 … 9", "Show a view"],
  ["j k ↓ ↑", "Next, previous"],
  ["PgDn PgUp Home End", "Move further; End also follows a live session"],
  ["Enter", "Open the selected frame"],
  ["Esc", "Close it; then show the whole session again"],
  ["/", "Filter frames (Ctrl-F in a list, too)"],
  ["p", "Its request or response"],
  ["t", "Its tool call"],
  ["u", "Its turn"],
  ["n N", "Next, previous finding"],
  ["f", "Fold chunks, or show them all"],
  ["x", "Unfold the selected run of chunks"],
  ["w s a d", "In the timeline: zoom in, out, move left, right; 0 shows all"],
  ["c", "Copy the raw line"],
  ["C", "Copy menu"],
  ["e", "Export"],
  ["Ctrl K", "Commands"],
  ["?", "This help"],
];

const STEPS: ReadonlyMap<string, ListStep> = new Map([
  ["j", "next"],
  ["ArrowDown", "next"],
  ["k", "previous"],
  ["ArrowUp", "previous"],
  ["PageDown", "pageDown"],
  ["PageUp", "pageUp"],
  ["Home", "first"],
  ["End", "last"],
]);

export function handleKey(targets: KeyTargets, event: KeyboardEvent): void {
  const { app } = targets;
  const { target, key } = event;
  const isMeta = event.ctrlKey || event.metaKey;
  if (isMeta && key.toLowerCase() === "k") {
    event.preventDefault();
    app.open("palette");
    return;
  }
  const element = target instanceof Element ? target : document.body;
  const isInList = element.closest(".rows") !== null;
  if (isMeta && key.toLowerCase() === "f" && isInList) {
    event.preventDefault();
    focusFilter(targets);
    return;
  }
  if (isMeta || event.altKey || app.dialog !== undefined) return;
  if (element.matches("input:not([type=checkbox]), select, textarea")) {
    if (key === "Escape" && element instanceof HTMLElement) element.blur();
    return;
  }
  if (act(targets, event, element)) event.preventDefault();
}

function act(targets: KeyTargets, event: KeyboardEvent, element: Element): boolean {
  const { app, view } = targets;
  const { recording } = app;
  const { key } = event;
  const step = STEPS.get(key);
  // Letters always move. The other keys scroll wherever there is something to scroll.
  const isFree =
    element === document.body || element.closest(".rows, .timeline-box, .conversation");
  if (step && (key.length === 1 || isFree)) {
    if (recording) view().move?.(step, recording);
    return true;
  }
  if (recording && view().key?.(key, recording) === true) return true;
  const named = /^[1-9]$/.test(key) ? VIEWS[Number(key) - 1] : undefined;
  if (named) {
    app.go({ view: named });
    return true;
  }
  if (key === "Enter") {
    if (element.closest("button, a, summary, label") || app.link.row < 0) return false;
    app.select(app.link.row, { open: true });
    return true;
  }
  return command(targets, key);
}

function command(targets: KeyTargets, key: string): boolean {
  const { app } = targets;
  switch (key) {
    case "Escape":
      return escape(app);
    case "/":
      focusFilter(targets);
      return true;
    case "?":
      app.open("help");
      return true;
    case "e":
      app.open("export");
      return true;
    case "C":
      app.open("copy");
      return true;
    case "c": {
      const [raw] = targets.copies();
      if (raw && app.link.row >= 0) void copyText(app, raw);
      return true;
    }
    case "n":
      return nextFinding(app, 1);
    case "N":
      return nextFinding(app, -1);
    default:
      return related(app, key);
  }
}

/** Frames that belong to the selected one. */
function related(app: App, key: string): boolean {
  const { model, link } = app;
  if (!model || link.row < 0) return false;
  const { frames } = model;
  if (key === "p") app.select(frames.pair(link.row));
  else if (key === "t" && frames.tool(link.row) >= 0) app.show("tools", link.row);
  else if (key === "u") app.select(model.turns[frames.turn(link.row)]?.prompt ?? -1);
  else return false;
  return true;
}

function escape(app: App): boolean {
  if (app.link.detail !== undefined) app.go({ detail: undefined });
  else if (app.link.range) app.go({ range: undefined });
  else return false;
  return true;
}

function nextFinding(app: App, step: 1 | -1): boolean {
  const { recording, link } = app;
  const rows = [...new Set(recording?.findings?.map(({ frames }) => (frames[0] ?? 0) - 1))]
    .filter((row) => row >= 0)
    .toSorted((a, b) => a - b);
  const found =
    step === 1 ? rows.find((row) => row > link.row) : rows.findLast((row) => row < link.row);
  if (found !== undefined) app.select(found, { open: true });
  return true;
}

/** Shows the frames and puts the cursor into their filter. */
function focusFilter({ app, view }: KeyTargets): void {
  app.go({ view: "frames" });
  const { recording } = app;
  if (recording)
    requestAnimationFrame(() => requestAnimationFrame(() => view().key?.("/", recording)));
}
