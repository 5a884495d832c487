/** The colours of a canvas, from the style of the page. */
export interface CanvasColours {
  readonly agent: string;
  readonly tool: string;
  readonly client: string;
  readonly person: string;
  readonly error: string;
  readonly text: string;
  readonly muted: string;
  readonly line: string;
  readonly panel: string;
  readonly accent: string;
  readonly grid: string;
}

let known: { readonly key: string; readonly colours: CanvasColours } | undefined;

/** Reads the colours of the current theme. */
export function canvasColours(): CanvasColours {
  const { documentElement: root } = document;
  const isDark = matchMedia("(prefers-color-scheme: dark)").matches;
  const key = `${root.dataset["theme"] ?? ""} ${isDark}`;
  if (known?.key === key) return known.colours;
  const probe = document.createElement("span");
  document.body.append(probe);
  const read = (name: string): string => {
    probe.style.color = `var(--${name})`;
    return getComputedStyle(probe).color;
  };
  const colours = {
    agent: read("agent"),
    tool: read("tool"),
    client: read("client"),
    person: read("person"),
    error: read("error"),
    text: read("text"),
    muted: read("muted"),
    line: read("line"),
    panel: read("panel"),
    accent: read("accent"),
    grid: read("grid"),
  };
  probe.remove();
  known = { key, colours };
  return colours;
}
