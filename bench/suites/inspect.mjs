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

const ms = (value) => `${value.toFixed(0)} ms`;
const mb = (value) => `${value.toFixed(0)} MB`;
const row = (...cells) => `| ${cells.join(" | ")} |`;

/** Delays, losses and memory are limits, not times to compare, so they are measured once. */
async function render() {
  const bare = await measured(pageScript, "bare", FRAMES);
  const page = await measured(pageScript, "views", FRAMES);
  const live = await measured(pageScript, "live", FRAMES / 2, 10_000);
  const rows = [];
  for (const rate of [10_000, 50_000]) {
    const {
      rate: reached,
      lost,
      p50Ms,
      p99Ms,
      cpuPerSecond,
      rssMb,
    } = await measured(script, "live", FRAMES, rate);
    rows.push(
      row(
        rate.toLocaleString("en"),
        Math.round(reached).toLocaleString("en"),
        lost,
        `${p50Ms.toFixed(1)} ms`,
        `${p99Ms.toFixed(1)} ms`,
        ms(cpuPerSecond),
        mb(rssMb),
      ),
    );
  }
  return [
    "### The page in Chromium with 200,000 frames (77 MB)",
    "",
    "The bare list reads and parses all lines, and draws those that are visible. Memory is that of the",
    "renderer, with Chromium's own: with all frames, after every view was opened, and then without the",
    "garbage that Chromium has not collected yet.",
    "",
    row(
      "",
      "all there",
      "ratio",
      "memory",
      "with all views",
      "without garbage",
      "longest task: reading",
      "scrolling",
    ),
    row(..."--------".split("").map(() => "---")),
    row(
      "bare list",
      ms(bare.wallMs),
      "1.00",
      mb(bare.rssMb),
      "",
      "",
      ms(bare.openTaskMs),
      ms(bare.scrollTaskMs),
    ),
    row(
      "the page",
      ms(page.wallMs),
      (page.wallMs / bare.wallMs).toFixed(2),
      mb(page.rssMb),
      mb(page.viewsMb),
      mb(page.keptMb),
      ms(page.openTaskMs),
      ms(page.scrollTaskMs),
    ),
    "",
    `A search in all text took ${ms(page.searchMs)}. Live at ${Math.round(live.rate).toLocaleString("en")} frames per`,
    `second, the page was ${ms(live.lagMs)} behind (median), and showed everything ${ms(live.behindMs)} after the end.`,
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
          name: "baseline: a bare list",
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
