// oxlint-disable no-control-regex -- terminals are driven by control characters
// Creates docs/demo.svg: runs the built command in a real terminal and draws its output line by line, with
// the original pauses. Usage: npm run build && node test/support/pty-svg.mjs
import { spawn } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const dragoman = here(process.env.DRAGOMAN_BIN ?? "../../dist/bin/dragoman.js");
const COLUMNS = 84;

/** The commands typed at the shell, and the keys to type when a pattern appears. */
const RUNS = [
  {
    line: 'dragoman "what does this project do?"',
    argv: ["what does this project do?"],
    answers: [],
  },
  {
    line: 'dragoman -a demo "/edit notes.txt Ask before you write."',
    argv: ["-a", "demo", "/edit notes.txt Ask before you write."],
    answers: [[/Choose 1-\d/, "1\r"]],
  },
];

const home = await mkdtemp(join(tmpdir(), "dragoman-demo-"));
const project = join(home, "project");
await mkdir(project);
await writeFile(
  join(project, "README.md"),
  "# Tide tables\n\nComputes the tides of any harbour from its harmonic constants, without a network.\n\n## Use\n\n`tides --harbour Cuxhaven --days 3`\n\n## Accuracy\n\nWithin four centimetres of the official tables.\n",
);
await writeFile(
  join(project, "package.json"),
  '{ "name": "tides", "description": "Tide tables, offline" }\n',
);
await writeFile(join(project, "notes.txt"), "Read first.\n");

const screens = [];
let clock = 0;
for (const run of RUNS) {
  const shown = await record(run);
  screens.push({ at: clock, text: `\u001b[1m$ ${run.line}\u001b[22m` });
  clock += 900;
  for (const { at, text } of linesOf(shown)) screens.push({ at: clock + at, text });
  clock = Math.max(clock, screens.at(-1).at) + 1500;
  screens.push({ at: clock, text: "" });
}
await rm(home, { recursive: true, force: true });
await writeFile(here("../../docs/demo.svg"), draw(screens, clock + 4000));

/** Runs a command in a terminal. Resolves with the output chunks and their times. */
function record({ argv, answers }) {
  const env = {
    PATH: `${join(process.execPath, "..")}:/usr/bin:/bin`,
    HOME: home,
    TERM: "xterm-256color",
  };
  const child = spawn(
    "python3",
    [here("pty.py"), String(COLUMNS), "40", process.execPath, dragoman, ...argv],
    {
      cwd: project,
      env,
      stdio: ["pipe", "pipe", "inherit", "pipe"],
    },
  );
  const started = performance.now();
  const chunks = [];
  const pending = [...answers];
  let all = "";
  child.stdout.setEncoding("utf8").on("data", (text) => {
    chunks.push({ at: performance.now() - started, text });
    all += text;
    if (pending.length > 0 && pending[0][0].test(all)) {
      const [, keys] = pending.shift();
      setTimeout(() => child.stdin.write(keys), 1200);
    }
  });
  return new Promise((resolve) => child.on("close", () => resolve(chunks)));
}

/** The lines that remain visible, each with the time when it was complete. */
function linesOf(chunks) {
  const lines = [];
  let line = "";
  for (const { at, text } of chunks) {
    for (const part of text.split(/(\r\n|\r\u001b\[K)/)) {
      if (part === "\r\n") {
        lines.push({ at: Math.min(at, 6000), text: line });
        line = "";
      } else if (part === "\r\u001b[K") line = "";
      else line += part;
    }
  }
  if (line !== "") lines.push({ at: chunks.at(-1).at, text: line });
  return lines.flatMap(({ at, text }) => wrapped(text).map((piece) => ({ at, text: piece })));
}

/** Wraps a line at the terminal's width, which colour codes do not count towards. */
function wrapped(text) {
  const pieces = [""];
  let width = 0;
  for (const token of text.match(/\u001b\[[0-9;]*m|[^]/gu) ?? []) {
    if (!token.startsWith("\u001b") && ++width > COLUMNS) {
      pieces.push("");
      width = 1;
    }
    pieces[pieces.length - 1] += token;
  }
  return pieces;
}

function draw(lines, duration) {
  const [rowHeight, charWidth, pad] = [19, 8.05, 16];
  const width = Math.round(COLUMNS * charWidth + 2 * pad);
  const height = lines.length * rowHeight + 2 * pad + 24;
  const rows = lines.map(({ at, text }, index) => {
    const y = pad + 24 + (index + 1) * rowHeight - 5;
    const percent = ((at / duration) * 100).toFixed(2);
    const name = `l${index}`;
    return {
      style: `@keyframes ${name}{0%,${percent}%{opacity:0}${(Number(percent) + 0.01).toFixed(2)}%,100%{opacity:1}}.${name}{animation:${name} ${Math.round(duration)}ms linear infinite}`,
      text: `<text xml:space="preserve" class="${name}" x="${pad}" y="${y}">${spans(text)}</text>`,
    };
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="dragoman in a terminal: one question answered, one edit allowed">
<style>text{font:13px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;fill:#d8dee9;white-space:pre}.bold{font-weight:bold}.dim{fill:#7b8494}.red{fill:#e06c75}.green{fill:#98c379}.yellow{fill:#e5c07b}.cyan{fill:#56b6c2}@media (prefers-reduced-motion:reduce){text{animation:none!important}}${rows.map(({ style }) => style).join("")}</style>
<rect width="100%" height="100%" rx="8" fill="#1e222a"/>
<circle cx="20" cy="18" r="5" fill="#e06c75"/><circle cx="38" cy="18" r="5" fill="#e5c07b"/><circle cx="56" cy="18" r="5" fill="#98c379"/>
${rows.map(({ text }) => text).join("\n")}
</svg>
`;
}

/** Text with its colours as spans. */
function spans(text) {
  const classes = { 1: "bold", 2: "dim", 31: "red", 32: "green", 33: "yellow", 36: "cyan" };
  let open = "";
  return text
    .split(/(\u001b\[[0-9;]*m)/)
    .map((part) => {
      const code = /^\u001b\[([0-9;]*)m$/.exec(part)?.[1];
      if (code !== undefined) {
        open = classes[code] ?? "";
        return "";
      }
      if (part === "") return "";
      const safe = part.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
      return `<tspan${open === "" ? "" : ` class="${open}"`}>${safe}</tspan>`;
    })
    .join("");
}
