/** The colours of a canvas, from the style of the page. */
export type CanvasColours = typeof NONE;

const NONE = {
  agent: "",
  tool: "",
  client: "",
  person: "",
  error: "",
  text: "",
  muted: "",
  line: "",
  panel: "",
  accent: "",
  grid: "",
};

let known: { readonly key: string; readonly colours: CanvasColours } | undefined;

/** Reads the colours of the current theme. */
export function canvasColours(): CanvasColours {
  const { documentElement: root } = document;
  const isDark = matchMedia("(prefers-color-scheme: dark)").matches;
  const key = `${root.dataset["theme"] ?? ""} ${isDark}`;
  if (known?.key === key) return known.colours;
  const probe = document.createElement("span");
  document.body.append(probe);
  const colours = { ...NONE };
  for (const name of namesOf(colours)) {
    probe.style.color = `var(--${name})`;
    colours[name] = getComputedStyle(probe).color;
  }
  probe.remove();
  known = { key, colours };
  return colours;
}

function namesOf<T extends object>(value: T): (keyof T & string)[] {
  const names: (keyof T & string)[] = [];
  for (const name in value) names.push(name);
  return names;
}
