// Opens a recording in Chromium. Usage: node inspect-page.mjs bare|inspect FRAMES
// `bare` is a page that only reads the lines, parses them and shows a number.
import { readFileSync } from "node:fs";
import { createHash } from "node:crypto";
import { chromium } from "playwright-core";
import { inspectPage } from "../../scripts/inspect-page.mjs";
import { recorder, serveInspector } from "../lib.mjs";

const [kind, count] = process.argv.slice(2);
const frames = Number(count);
const shown = `${frames.toLocaleString("en")} frames`;
const words = "the agent writes about the code that it has changed, in many pieces ".repeat(3);

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
  for (const part of parts) lines.push(JSON.parse(part));
}
for (const line of lines) if (line.line) JSON.parse(line.line);
document.body.textContent = ${JSON.stringify(shown)};
window.kept = lines;`;

const hash = (text) => `sha256-${createHash("sha256").update(text).digest("base64")}`;
const bare = `<!doctype html>
<html lang="en" data-script="${hash(BARE)}" data-style="${hash("")}"><meta charset="utf-8"><style></style><body><script type="module">${BARE}</script></body></html>`;

const server = await serveInspector({ page: kind === "bare" ? bare : await inspectPage() });
const session = server.add({ name: "large" });
const record = recorder((line) => session.write(line), { keepSecrets: true });
for (let n = 0; n < frames; n++) {
  const content = { type: "text", text: n === frames >> 1 ? `needle ${words}` : words };
  const update = { sessionUpdate: "agent_message_chunk", messageId: `m${n >> 6}`, content };
  const params = { sessionId: "0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0", update };
  const line = JSON.stringify({ jsonrpc: "2.0", method: "session/update", params });
  record({ at: n, direction: "in", line });
  if (session.log.isOverloaded) await session.log.relieved();
}
session.log.end();

const browser = await chromium.launch({
  executablePath: process.env["CHROMIUM"] ?? "/usr/bin/chromium",
  args: process.getuid?.() === 0 ? ["--no-sandbox"] : [],
});
const page = await browser.newPage();
await page.addInitScript(() => {
  window.longest = 0;
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries())
      window.longest = Math.max(window.longest, duration);
  }).observe({ type: "longtask", buffered: true });
});
const startedAt = performance.now();
await page.goto(kind === "bare" ? server.url : `${server.url}&v=frames`);
await page.getByText(shown).first().waitFor({ timeout: 110_000 });
const wallMs = performance.now() - startedAt;
const cdp = await browser.newBrowserCDPSession();
const { processInfo } = await cdp.send("SystemInfo.getProcessInfo");
const renderers = processInfo.filter(({ type }) => type === "renderer");
const cpuMs = 1000 * Math.max(...renderers.map(({ cpuTime }) => cpuTime));
const rssMb = Math.max(
  ...renderers.map(
    ({ id }) =>
      Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${id}/status`, "utf8"))[1]) / 1024,
  ),
);
let searchMs = 0;
if (kind !== "bare") {
  const box = page.getByRole("searchbox", { name: "Filter frames" });
  await box.fill("needle");
  const matches = page.getByTestId("matches").getByText(/^1 of [\d,]+, /);
  // The page says how long its search took, such as "320 ms" or "1.2 s".
  const [, number, unit] =
    /, ([\d.]+) (m?s)$/.exec(await matches.innerText({ timeout: 60_000 })) ?? [];
  searchMs = Number(number) * (unit === "s" ? 1000 : 1);
}
const longestTaskMs = await page.evaluate(() => window.longest);
await browser.close();
await server.close();
process.stdout.write(`${JSON.stringify({ wallMs, cpuMs, rssMb, searchMs, longestTaskMs })}\n`, () =>
  process.exit(0),
);
