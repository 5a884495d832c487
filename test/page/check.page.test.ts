// The HTML report of dragoman check, in a real browser.
import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { htmlReport, judge } from "../../src/conformance/check/index.ts";
import { EVIL, failureOf, MIXED, reportOf } from "../conformance/check/support/reports.ts";
import { Chromium } from "./chromium.ts";

const chromium = new Chromium();

const evil = failureOf("EVIL", { actual: EVIL, frames: [{ n: 1, direction: "in", line: EVIL }] });
const long = { name: "an-agent-with-a-very-long-name-that-has-no-space".repeat(3) };
const html = htmlReport(
  [reportOf([...MIXED, evil], { name: EVIL }), reportOf(MIXED, long), reportOf(MIXED)].map(
    (report) => ({ report, verdict: judge(report) }),
  ),
);

async function open(width: number, colorScheme: "light" | "dark"): Promise<Page> {
  const page = await chromium.newPage({ viewport: { width, height: 800 }, colorScheme });
  await page.setContent(html);
  return page;
}

it.each([320, 375, 1200])("fits a screen of %i pixels", async (width) => {
  const page = await open(width, "light");
  const hidden = "document.documentElement.scrollWidth - document.documentElement.clientWidth";
  expect(await page.evaluate(hidden)).toBe(0);
});

it("has a dark and a light scheme", async () => {
  const back = "getComputedStyle(document.body).backgroundColor";
  const colors = await Promise.all(
    (["light", "dark"] as const).map(async (scheme) => (await open(800, scheme)).evaluate(back)),
  );
  expect(colors).toEqual(["rgb(255, 255, 255)", "rgb(13, 17, 23)"]);
});

it("shows everything from the subject as text, and loads nothing", async () => {
  const page = await chromium.newPage();
  const requests: string[] = [];
  const dialogs: string[] = [];
  page.on("request", (request) => requests.push(request.url()));
  page.on("dialog", (dialog) => {
    dialogs.push(dialog.message());
    void dialog.dismiss();
  });
  await page.setContent(html);
  expect(await page.evaluate("document.querySelectorAll('script, img').length")).toBe(0);
  expect(await page.evaluate("document.body.innerText")).toContain('<script>alert("1")</script>');
  expect([requests, dialogs]).toEqual([[], []]);
});
