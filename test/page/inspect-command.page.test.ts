// `dragoman inspect` and its server with a real browser: the policy, the token, live sessions, exports.
import { copyFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { Page } from "playwright-core";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { inspectPage } from "../../scripts/inspect-page.mjs";
import { main } from "../../src/apps/cli/main.ts";
import { type InspectServer, serveInspector } from "../../src/apps/inspector/index.ts";
import { recorder } from "../../src/transport/wire/index.ts";
import { fakeIo } from "../apps/cli/support/io.ts";
import { messageLine } from "../apps/inspector/server/http.ts";
import { useTempFolder } from "../support/temp-folder.ts";
import { Chromium } from "./chromium.ts";

const example = new URL("../../examples/recordings/gemini-0.61.0-load.jsonl", import.meta.url);

// A server that has gone is an error to the browser, and expected here.
const chromium = new Chromium(/net::ERR_/);
let html: string;
let folder = "";
let server: InspectServer | undefined;
useTempFolder((path) => (folder = path));

beforeAll(async () => {
  html = await inspectPage();
});
afterEach(async () => {
  await server?.close();
  server = undefined;
});

async function open(url: string): Promise<Page> {
  const page = await chromium.newPage({ viewport: { width: 1440, height: 900 } });
  await page.goto(url);
  return page;
}

const update = (text: string): string => messageLine(text, text);

describe("a served page", () => {
  it("runs under its policy, and takes the token out of the address", async () => {
    server = await serveInspector({ page: html });
    const session = server.add({ name: "<b>gemini</b>" });
    const record = recorder((line) => session.write(line));
    record({ at: 0, direction: "in", line: update("the first words") });
    session.log.end();
    const page = await open(server.url);
    await page.getByText("the first words").first().waitFor();
    expect(page.url()).not.toContain("token");
    await page.reload();
    await page.getByText("the first words").first().waitFor();
  });

  it("is reached by the link for a browser, which works once", async () => {
    server = await serveInspector({ page: html });
    server.add({ name: "x" }).log.end();
    const link = server.openUrl();
    const page = await open(link);
    await expect.poll(() => page.url()).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/(?:#(?!token).*)?$/);
    const before = chromium.faults.length;
    const again = await chromium.newPage();
    expect((await again.goto(link))?.status()).toBe(403);
    await again.close();
    // The browser reports the refusals as errors.
    chromium.faults.length = before;
  });

  it("follows a live session, and shows text that tries to do harm as text", async () => {
    server = await serveInspector({ page: html });
    const session = server.add({ name: "live" });
    const record = recorder((line) => session.write(line));
    record({ at: 0, direction: "in", line: update("one") });
    const page = await open(server.url);
    await page.getByText("one", { exact: true }).first().waitFor();
    const evil = '<img src=x onerror="document.title=1"><script>document.title=2</script>';
    record({ at: 1, direction: "in", line: update(evil) });
    await page.getByText("onerror").first().waitFor();
    expect(await page.title()).not.toMatch(/^[12]$/);
    session.log.end();
  });
});

describe("findings", () => {
  it("are there soon while a session is live, although it does not grow", async () => {
    server = await serveInspector({ page: html });
    const session = server.add({ name: "live" });
    const record = recorder((line) => session.write(line));
    record({ at: 0, direction: "in", line: "not a frame" });
    const page = await open(`${server.url}&v=findings`);
    await page.getByText("Every line on stdout is one JSON-RPC 2.0 object").waitFor();
    session.log.end();
  });

  it("are not missed before the end, and then there are none", async () => {
    server = await serveInspector({ page: html });
    const session = server.add({ name: "live" });
    session.start({ format: "dragoman", isTimed: true });
    session.add({ ms: 0, event: "stderr", text: "hello\n" });
    const page = await open(`${server.url}&v=findings`);
    await page.getByText("No findings so far").waitFor();
    session.log.end();
    await page.getByText("No findings", { exact: true }).waitFor();
    await page.getByText("Every frame that could be checked follows the protocol.").waitFor();
  });
});

describe("an exported page", () => {
  it("works as a file, offline, with its findings", async () => {
    const pageFile = join(folder, "page.html");
    await writeFile(pageFile, html);
    await copyFile(fileURLToPath(example), join(folder, "gemini.jsonl"));
    const io = fakeIo({ cwd: folder, home: folder });
    const self = { ...io.self, inspectPage: pageFile };
    const argv = ["inspect", "gemini.jsonl", "--export", "out.html"];
    expect(await main(argv, { ...io, self })).toBe(0);
    const page = await open(`${pathToFileURL(join(folder, "out.html")).href}#v=findings`);
    await page.getByText("ACP-LOAD-002").first().waitFor();
  });
});
