import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const FRAMES = 200_000;
const script = "consumers/inspect.mjs";
const pageScript = "consumers/inspect-page.mjs";

async function measured(name, ...args) {
  const file = fileURLToPath(new URL(`../${name}`, import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [file, ...args.map(String)]);
  return JSON.parse(stdout.trim().split("\n").at(-1));
}

/** Delays and losses are limits, not times to compare, so they are measured once. */
async function render() {
  const rows = [];
  for (const rate of [10_000, 50_000]) {
    const row = await measured(script, "live", FRAMES, rate);
    rows.push(
      [
        `| ${rate.toLocaleString("en")}`,
        Math.round(row.rate).toLocaleString("en"),
        row.lost,
        `${row.p50Ms.toFixed(1)} ms`,
        `${row.p99Ms.toFixed(1)} ms`,
        `${row.cpuPerSecond.toFixed(0)} ms`,
        `${row.rssMb.toFixed(0)} MB |`,
      ].join(" | "),
    );
  }
  const page = await measured(pageScript, "inspect", FRAMES);
  return [
    "### The page in Chromium with 200,000 frames (77 MB)",
    "",
    "| all there | memory of the renderer | longest task | search in all text |",
    "|---|---|---|---|",
    `| ${page.wallMs.toFixed(0)} ms | ${page.rssMb.toFixed(0)} MB | ${page.longestTaskMs.toFixed(0)} ms | ${page.searchMs.toFixed(0)} ms |`,
    "",
    "### A live session of 200,000 frames of about 380 bytes, with one more page that has stopped reading",
    "",
    "Everything is in one process: the session, the server and the page that reads.",
    "",
    "| frames per second | reached | lost | delay, median | delay, 99 % | CPU time per second | peak RSS |",
    "|---|---|---|---|---|---|---|",
    ...rows,
  ].join("\n");
}

export default {
  title: "dragoman inspect",
  render,
  parts: [
    {
      title: "A recording of 200,000 frames (77 MB), CPU time until a page can read all of it",
      variants: [
        {
          name: "baseline: split, parse, remove secrets",
          command: [script, "file", "bare", FRAMES],
        },
        {
          name: "server: any format, kept for the page",
          command: [script, "file", "inspect", FRAMES],
          target: "≤ 2.0",
        },
      ],
    },
    {
      title: "A page in Chromium with 200,000 frames, CPU time of the renderer until all are there",
      rounds: 1,
      variants: [
        {
          name: "baseline: a page that parses all lines",
          command: [pageScript, "bare", FRAMES],
        },
        {
          name: "the page, with all frames indexed",
          command: [pageScript, "inspect", FRAMES],
          target: "≤ 3.0",
        },
      ],
    },
  ],
};
