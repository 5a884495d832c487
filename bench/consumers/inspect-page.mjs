// Opens a session in Chromium. Usage:
//   node inspect-page.mjs bare|inspect FRAMES    opens a recording: as a bare list of its lines, or in the page
//   node inspect-page.mjs views FRAMES           opens every view, scrolls and searches
//   node inspect-page.mjs live FRAMES RATE       shows a session while it runs
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { chromium } from "playwright-core";
import { inspectPage } from "../../scripts/inspect-page.mjs";
import { longSession } from "../inspect-session.mjs";
import { recorder, serveInspector } from "../lib.mjs";

const [mode, count, rate] = process.argv.slice(2);
const frames = Number(count);
const shown = `${frames.toLocaleString("en")} frames`;

/** The least that a page can do: it reads and parses all lines, and draws those that are visible. */
const BARE = `
const token = location.hash.slice(7);
const answer = await fetch("/api/recording?session=1", { headers: { authorization: "Bearer " + token } });
const lines = [];
let rest = "";
const decoder = new TextDecoder();
for (const reader = answer.body.getReader();;) {
  const { done, value } = await reader.read();
  if (done) break;
  const parts = (rest + decoder.decode(value, { stream: true })).split("\\n");
  rest = parts.pop();
  for (const part of parts) {
    const { line } = JSON.parse(part);
    if (line) lines.push(JSON.parse(line));
  }
}
const list = document.createElement("div");
list.id = "list";
list.style = "height: 600px; overflow: auto; contain: strict";
const body = document.createElement("div");
body.style = "position: relative; height: " + 28 * lines.length + "px";
list.append(body);
const draw = () => {
  const first = Math.floor(list.scrollTop / 28);
  body.replaceChildren(...lines.slice(first, first + 30).map((line, index) => {
    const row = document.createElement("div");
    row.style = "position: absolute; height: 28px; overflow: hidden; top: " + 28 * (first + index) + "px";
    row.textContent = line.method + " " + JSON.stringify(line.params ?? line.result).slice(0, 100);
    return row;
  }));
};
list.onscroll = draw;
document.body.append(list, ${JSON.stringify(shown)});
draw();`;

const hash = (text) => `sha256-${createHash("sha256").update(text).digest("base64")}`;
const bare = `<!doctype html>
<html lang="en" data-script="${hash(BARE)}" data-style="${hash("")}"><meta charset="utf-8"><style></style><body><script type="module">${BARE}</script></body></html>`;

const server = await serveInspector({ page: mode === "bare" ? bare : await inspectPage() });
const session = server.add({ name: "large" });
const record = recorder((line) => session.write(line), { keepSecrets: true });
const browser = await chromium.launch({
  executablePath: process.env["CHROMIUM"] ?? "/usr/bin/chromium",
  args: process.getuid?.() === 0 ? ["--no-sandbox"] : [],
});
const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
await page.addInitScript(() => {
  window.longest = 0;
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries())
      window.longest = Math.max(window.longest, duration);
  }).observe({ type: "longtask", buffered: true });
});
const address = mode === "bare" ? server.url : `${server.url}&v=frames`;
const result = mode === "live" ? await showLive() : await openRecording();
await browser.close();
await server.close();
process.stdout.write(`${JSON.stringify(result)}\n`, () => process.exit(0));

async function openRecording() {
  let at = 0;
  for (const entry of longSession(frames)) {
    record({ at: (at += 20), ...entry });
    if (session.log.isOverloaded) await session.log.relieved();
  }
  session.log.end();
  const startedAt = performance.now();
  await page.goto(address);
  await page.getByText(shown).first().waitFor({ timeout: 110_000 });
  const opened = { wallMs: performance.now() - startedAt, ...(await renderer()) };
  const openTaskMs = await longest();
  const scrollTaskMs = await scroll(mode === "bare" ? "#list" : ".frames-list");
  if (mode !== "views") return { ...opened, openTaskMs, scrollTaskMs };
  const searchMs = await search();
  const searchTaskMs = await longest();
  for (let key = 1; key <= 8; key++) {
    await page.evaluate(() => document.activeElement?.blur());
    await page.keyboard.press(String(key));
    await pause(500);
  }
  const viewTaskMs = await longest();
  const { rssMb: viewsMb } = await renderer();
  const cdp = await page.context().newCDPSession(page);
  await cdp.send("HeapProfiler.collectGarbage");
  const { rssMb: keptMb } = await renderer();
  return {
    ...opened,
    openTaskMs,
    scrollTaskMs,
    searchMs,
    searchTaskMs,
    viewTaskMs,
    viewsMb,
    keptMb,
  };
}

/** Scrolls through a list as fast as the screen allows, near and far. Returns the longest task. */
async function scroll(selector) {
  await page.evaluate(async (list) => {
    const element = document.querySelector(list);
    for (let step = 0; step < 120; step++) {
      element.scrollTop += step < 60 ? 66 : element.scrollHeight / 61;
      await new Promise((resolve) => requestAnimationFrame(resolve));
    }
    element.scrollTop = 0;
  }, selector);
  return longest();
}

/** Searches for a rare word, and returns the time that the page gives, such as "320 ms" or "1.2 s". */
async function search() {
  await page.getByRole("searchbox", { name: "Filter frames" }).fill("needle");
  const matches = page.getByTestId("matches").getByText(/^1 of [\d,]+, /);
  const [, number, unit] = /, ([\d.]+) (m?s)$/.exec(await matches.innerText()) ?? [];
  return Number(number) * (unit === "s" ? 1000 : 1);
}

/** Sends frames at a rate, and looks every 200 ms how many the page has. */
async function showLive() {
  await page.goto(address);
  const lines = longSession(frames);
  const lags = [];
  let sent = 0;
  let looked = performance.now();
  const startedAt = performance.now();
  let watching = Promise.resolve();
  while (sent < frames) {
    const due = Math.min(frames, Math.ceil(((performance.now() - startedAt) / 1000) * rate));
    for (; sent < due; sent++) {
      const { value } = lines.next();
      if (value) record({ at: performance.now() - startedAt, ...value });
    }
    if (session.log.isOverloaded) await session.log.relieved();
    if (performance.now() - looked > 200) {
      looked = performance.now();
      const before = sent;
      watching = watching.then(async () => {
        const text = await page.evaluate(() => document.querySelector(".facts-row")?.textContent);
        const seen = Number(/([\d,]+) frames/.exec(text ?? "")?.[1]?.replaceAll(",", "") ?? 0);
        lags.push(Math.max(0, ((before - seen) / rate) * 1000));
      });
    }
    await pause(4);
  }
  const sentMs = performance.now() - startedAt;
  await watching;
  await page.getByText(shown).first().waitFor({ timeout: 60_000 });
  const behindMs = performance.now() - startedAt - sentMs;
  session.log.end();
  lags.sort((a, b) => a - b);
  return {
    rate: (frames / sentMs) * 1000,
    lagMs: lags[Math.floor(lags.length * 0.5)],
    lag99Ms: lags[Math.floor(lags.length * 0.99)],
    behindMs,
    openTaskMs: await longest(),
    ...(await renderer()),
  };
}

/** The longest task since the last call, in milliseconds. */
function longest() {
  return page.evaluate(async () => {
    await new Promise((resolve) => setTimeout(resolve, 100));
    const before = window.longest;
    window.longest = 0;
    return before;
  });
}

/** The CPU time and memory of the process of the page. */
async function renderer() {
  const cdp = await browser.newBrowserCDPSession();
  const { processInfo } = await cdp.send("SystemInfo.getProcessInfo");
  const processes = processInfo.filter(({ type }) => type === "renderer");
  const residentMb = ({ id }) =>
    Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${id}/status`, "utf8"))[1]) / 1024;
  return {
    cpuMs: 1000 * Math.max(...processes.map(({ cpuTime }) => cpuTime)),
    rssMb: Math.max(...processes.map(residentMb)),
  };
}
