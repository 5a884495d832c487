// The page of examples/ in a real browser, with `dragoman serve` on the other side, and the page of the web endpoint.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Page } from "playwright-core";
import { build } from "esbuild";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openProcess, type ProcessChannel } from "../../src/entries/wire.ts";
import { unpackTarball, type Packed } from "../support/package.ts";
import { Chromium } from "./chromium.ts";

let packed: Packed;
let pages: Server;
let serve: ProcessChannel;
let address: string;
let url: string;
let token: string;
// Chromium reports the refused connection by itself.
const chromium = new Chromium(/WebSocket connection to .* failed/);

beforeAll(async () => {
  packed = await unpackTarball();
  const examples = join(packed.home, "examples");
  const { outputFiles } = await build({
    entryPoints: [join(examples, "browser.ts")],
    bundle: true,
    format: "esm",
    target: "es2022",
    outfile: "/browser.js",
    write: false,
  });
  const html = await readFile(join(examples, "browser.html"), "utf8");
  pages = createServer((request, response) => {
    const isScript = request.url === "/browser.js";
    response.setHeader("content-type", isScript ? "text/javascript" : "text/html");
    response.end(isScript ? outputFiles[0]?.text : html);
  });
  await once(pages.listen(0, "127.0.0.1"), "listening");
  address = `http://127.0.0.1:${(pages.address() as AddressInfo).port}`;

  const project = join(packed.scratch, "project");
  await mkdir(project);
  await writeFile(join(project, "README.md"), "# Herons\n\nCounts herons.\n");
  const dragoman = join(packed.home, "dist/bin/dragoman.js");
  const tokenFile = join(packed.scratch, "token");
  const options = ["--listen", "0", "--origin", address, "--root", project];
  let listening: (url: string) => void;
  const ready = new Promise<string>((resolve) => (listening = resolve));
  let stderr = "";
  serve = await openProcess({
    command: process.execPath,
    args: [dragoman, "serve", ...options, "--token-file", tokenFile, "--"].concat([
      process.execPath,
      dragoman,
      "demo-agent",
    ]),
    env: { HOME: packed.scratch },
    onStderr: (text) => {
      const [found] = /ws:\/\/\S+\/acp(?=\s)/.exec((stderr += text)) ?? [];
      if (found !== undefined) listening(found);
    },
  });
  serve.open(() => {});
  url = await ready;
  token = (await readFile(tokenFile, "utf8")).trim();
});

afterAll(async () => {
  await serve?.close();
  pages?.closeAllConnections();
  await new Promise((resolve) => pages.close(resolve));
  await packed?.remove();
});

/** Opens the page and fills in the form. */
async function open(prompt: string, withToken = token): Promise<Page> {
  const page = await chromium.newPage();
  await page.goto(`${address}/browser.html`);
  await page.fill("[name=url]", url);
  await page.fill("[name=token]", withToken);
  await page.fill("[name=prompt]", prompt);
  return page;
}

/** Submits the form. Resolves with the text once it says how the turn ended. */
async function answerOf(page: Page): Promise<string> {
  await page.click("button");
  await page.waitForFunction(`/\\n\\(\\w+\\)$/.test(document.querySelector("pre").textContent)`);
  return (await page.textContent("pre")) ?? "";
}

it("shows an answer about the folder of the server", async () => {
  const text = await answerOf(await open("What does this project do?"));
  expect(text).toContain("Counts herons.");
  expect(text).toMatch(/\n\(end_turn\)$/);
});

it.each([
  [true, "You chose once: allowed."],
  [false, "You chose no: not allowed."],
])("asks the person, who answers %s", async (allow, verdict) => {
  const page = await open("/permission");
  const asked: string[] = [];
  page.on("dialog", (dialog) => {
    asked.push(dialog.message());
    void (allow ? dialog.accept() : dialog.dismiss());
  });
  expect(await answerOf(page)).toContain(verdict);
  expect(asked).toEqual(['Allow "Do nothing at all"?']);
});

it.each([
  ["the agent died", () => open("/crash"), "remote_error"],
  // A browser tells a page nothing about a refused WebSocket.
  ["the token is wrong", () => open("/help", "wrong"), "start_failed"],
])("says with a code that %s", async (_, opened, code) => {
  expect(await answerOf(await opened())).toMatch(new RegExp(`\\n\\(${code}\\)$`));
});

it("has an endpoint whose page shows the answer", async () => {
  const consumer = packed.consumer;
  const { outputFiles } = await build({
    entryPoints: [join(packed.home, "examples/web-endpoint.ts")],
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20.19",
    nodePaths: [join(process.cwd(), "node_modules")],
    banner: {
      js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);',
    },
    write: false,
  });
  const file = join(consumer, "web-endpoint.mjs");
  await writeFile(file, outputFiles[0]?.text ?? "");
  const dragoman = join(packed.home, "dist/bin/dragoman.js");
  const child = spawn(process.execPath, [file, process.execPath, dragoman, "demo-agent"], {
    cwd: join(packed.scratch, "project"),
    stdio: ["ignore", "pipe", "ignore"],
  });
  try {
    const [home] = (await once(createInterface(child.stdout), "line")) as [string];
    const page = await chromium.newPage();
    await page.goto(home);
    await page.click("button");
    await page.waitForFunction(`document.querySelector("pre").textContent.includes("I looked at")`);
    expect(await page.textContent("pre")).toContain("Counts herons.");
  } finally {
    child.kill();
    await once(child, "exit");
  }
});
