// @ts-check
/**
 * The rows of a terminal at one time, as `tmux capture-pane -e` prints them.
 * @typedef {{ at: number, rows: readonly string[] }} Screen
 * @typedef {{ bold: boolean, dim: boolean, italic: boolean, underline: boolean, inverse: boolean, color: string, back: string }} Style
 */

const [ROW, CELL, PAD, TITLE] = [19, 7.85, 16, 24];
const [TEXT, BACK] = ["#d8dee9", "#1e222a"];
const BASIC = [
  "#4b5263",
  "#e06c75",
  "#98c379",
  "#e5c07b",
  "#61afef",
  "#c678dd",
  "#56b6c2",
  "#d8dee9",
];
const BRIGHT = [
  "#7b8494",
  "#ef8b93",
  "#b3d99c",
  "#f0d399",
  "#8cc5f5",
  "#d8a1e8",
  "#7fd0da",
  "#ffffff",
];
/** A sequence that sets styles. */
const STYLE = new RegExp(`${String.fromCharCode(27)}\\[([0-9;:]*)m`);
/** A longer pause is shortened to this. */
const LONGEST_PAUSE = 2500;
const LAST_PAUSE = 5000;

/**
 * Draws screens as one animated picture. Viewers that do not animate show the last screen.
 * @param {readonly Screen[]} screens
 * @param {number} columns
 * @param {string} label for people who cannot see the picture
 */
export function drawScreens(screens, columns, label) {
  const { frames, duration } = timed(screens);
  const used = Math.max(...frames.map(({ rows }) => rows.findLastIndex((row) => row !== "") + 1));
  const width = Math.round(columns * CELL + 2 * PAD);
  const height = used * ROW + 2 * PAD + TITLE;
  const percent = (/** @type {number} */ at) => `${((at / duration) * 100).toFixed(2)}%`;
  /** @type {string[]} */
  const styles = [];
  /** @type {string[]} */
  const rows = [];
  for (let row = 0; row < used; row++) {
    for (const { text, from, until } of spansOfRow(frames, row)) {
      const name = `r${styles.length}`;
      const end = until === undefined ? "" : `${percent(until)}{opacity:0}`;
      const before = from === 0 ? "" : "0%{opacity:0}";
      styles.push(
        `@keyframes ${name}{${before}${percent(from)}{opacity:1}${end}}.${name}{animation-name:${name}}`,
      );
      const shown = until === undefined ? "" : ' opacity="0"';
      const y = PAD + TITLE + row * ROW;
      rows.push(`<g class="${name}"${shown} transform="translate(${PAD} ${y})">${cells(text)}</g>`);
    }
  }
  const motion = `g{animation:${Math.round(duration)}ms step-end infinite}@media (prefers-reduced-motion:reduce){g{animation:none!important}}`;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="${label}">
<style>text{font:13px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;fill:${TEXT};white-space:pre}${motion}${styles.join("")}</style>
<rect width="100%" height="100%" rx="8" fill="${BACK}"/>
<circle cx="20" cy="18" r="5" fill="#e06c75"/><circle cx="38" cy="18" r="5" fill="#e5c07b"/><circle cx="56" cy="18" r="5" fill="#98c379"/>
${rows.join("\n")}
</svg>
`;
}

/**
 * The screens that differ from the one before, with long pauses shortened.
 * @param {readonly Screen[]} screens
 */
function timed(screens) {
  /** @type {Screen[]} */
  const frames = [];
  let [last, lost] = [0, 0];
  for (const { at, rows } of screens) {
    const previous = frames.at(-1);
    if (previous !== undefined && previous.rows.join("\n") === rows.join("\n")) continue;
    lost += Math.max(0, at - last - LONGEST_PAUSE);
    last = at;
    frames.push({ at: previous === undefined ? 0 : at - lost, rows });
  }
  return { frames, duration: (frames.at(-1)?.at ?? 0) + LAST_PAUSE };
}

/**
 * The texts of one row, each with the time for which it was shown. The last one has no end.
 * @param {readonly Screen[]} frames
 * @param {number} row
 */
function spansOfRow(frames, row) {
  /** @type {{ text: string, from: number, until: number | undefined }[]} */
  const spans = [];
  for (const { at, rows } of frames) {
    const text = rows[row] ?? "";
    const last = spans.at(-1);
    if (last?.text === text) continue;
    if (last !== undefined) last.until = at;
    spans.push({ text, from: at, until: undefined });
  }
  return spans.filter(({ text }) => text !== "");
}

/** @returns {Style} */
const plain = () => ({
  bold: false,
  dim: false,
  italic: false,
  underline: false,
  inverse: false,
  color: "",
  back: "",
});

/**
 * One row, with its colors. Each piece is placed by its column, so that fonts of any width align.
 * @param {string} row
 */
function cells(row) {
  let style = plain();
  let column = 0;
  let drawn = "";
  for (const [index, part] of row.split(STYLE).entries()) {
    if (index % 2 === 1) {
      style = styled(style, part);
      continue;
    }
    const width = Array.from(part).length;
    if (part !== "") drawn += piece(part, column, width, style);
    column += width;
  }
  return drawn;
}

/**
 * @param {string} text
 * @param {number} column
 * @param {number} width
 * @param {Style} style
 */
function piece(text, column, width, style) {
  const [color, back] = style.inverse
    ? [style.back || BACK, style.color || TEXT]
    : [style.color, style.back];
  const x = (column * CELL).toFixed(1).replace(".0", "");
  const length = (width * CELL).toFixed(1).replace(".0", "");
  const rect =
    back === "" ? "" : `<rect x="${x}" width="${length}" height="${ROW}" fill="${back}"/>`;
  if (text.trim() === "" && !style.underline) return rect;
  const look = [
    style.bold ? "font-weight:bold" : "",
    style.italic ? "font-style:italic" : "",
    style.underline ? "text-decoration:underline" : "",
    style.dim ? "fill-opacity:.6" : "",
    color === "" ? "" : `fill:${color}`,
  ].filter((part) => part !== "");
  const attributes = look.length === 0 ? "" : ` style="${look.join(";")}"`;
  const safe = text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  return `${rect}<text xml:space="preserve" x="${x}" y="14" textLength="${length}" lengthAdjust="spacingAndGlyphs"${attributes}>${safe}</text>`;
}

/**
 * @param {Style} style
 * @param {string} codes the numbers of a "select graphic rendition" sequence
 * @returns {Style}
 */
function styled(style, codes) {
  const next = { ...style };
  const numbers = codes.split(/[;:]/).map(Number);
  for (let n = 0; n < numbers.length; n++) {
    const code = numbers[n] ?? 0;
    if (code === 0) Object.assign(next, plain());
    else if (code === 1) next.bold = true;
    else if (code === 2) next.dim = true;
    else if (code === 3) next.italic = true;
    else if (code === 4) next.underline = true;
    else if (code === 7) next.inverse = true;
    else if (code === 22) next.bold = next.dim = false;
    else if (code === 23) next.italic = false;
    else if (code === 24) next.underline = false;
    else if (code === 27) next.inverse = false;
    else if (code === 39) next.color = "";
    else if (code === 49) next.back = "";
    else if (code >= 30 && code <= 37) next.color = BASIC[code - 30] ?? "";
    else if (code >= 90 && code <= 97) next.color = BRIGHT[code - 90] ?? "";
    else if (code >= 40 && code <= 47) next.back = BASIC[code - 40] ?? "";
    else if (code >= 100 && code <= 107) next.back = BRIGHT[code - 100] ?? "";
    else if (code === 38 || code === 48) {
      const [color, used] = extended(numbers.slice(n + 1));
      if (code === 38) next.color = color;
      else next.back = color;
      n += used;
    }
  }
  return next;
}

/**
 * A color of 256, or of red, green and blue, and how many numbers it takes.
 * @param {readonly number[]} numbers
 * @returns {[string, number]}
 */
function extended([kind, first = 0, green = 0, blue = 0]) {
  if (kind === 2) return [`rgb(${first},${green},${blue})`, 4];
  if (first < 8) return [BASIC[first] ?? "", 2];
  if (first < 16) return [BRIGHT[first - 8] ?? "", 2];
  if (first >= 232)
    return [
      `rgb(${Array(3)
        .fill(8 + (first - 232) * 10)
        .join(",")})`,
      2,
    ];
  const level = (/** @type {number} */ n) => (n === 0 ? 0 : 55 + 40 * n);
  const cube = first - 16;
  const parts = [Math.floor(cube / 36), Math.floor(cube / 6) % 6, cube % 6];
  return [`rgb(${parts.map(level).join(",")})`, 2];
}
