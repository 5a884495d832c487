// The page of dragoman inspect, in a real browser: its views, keys, themes, and text that tries to do harm.
import { readFile } from "node:fs/promises";
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { createGzip, gzipSync } from "node:zlib";
import axe from "axe-core";
import type { BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { VIEWS } from "../../src/apps/inspector/page/link.ts";
import { Chromium } from "./chromium.ts";
import {
  EVIL,
  EXAMPLE,
  EXAMPLE_ENTRIES,
  EXAMPLE_HEADER,
  OTHER_EXAMPLE,
} from "./inspect/example.ts";
import { blackPng } from "./inspect/images.ts";
import { ExportedPages, type LiveServer, serveLive } from "./inspect/pages.ts";

const chromium = new Chromium();
/** Errors of the page, and requests that would leave it. */
const { faults } = chromium;
let pages: ExportedPages;
let address: string;
let both: string;

beforeAll(async () => {
  pages = await ExportedPages.build();
  address = await pages.write("example", [EXAMPLE]);
  both = await pages.write("both", [EXAMPLE, OTHER_EXAMPLE]);
});
afterAll(() => pages?.remove());

async function open(url: string, options: BrowserContextOptions = {}): Promise<Page> {
  const page = await chromium.newPage({ viewport: { width: 1440, height: 900 }, ...options });
  const origin = new URL(url).origin;
  page.on("request", (request) => {
    const target = request.url();
    const isOwn = origin === "null" ? target.startsWith("file:") : target.startsWith(origin);
    if (!isOwn && !/^(?:data|blob):/.test(target)) faults.push(`request to ${target}`);
  });
  await page.goto(url);
  return page;
}

/** Opens the example at a place. */
async function openAt(fragment: string, options?: BrowserContextOptions): Promise<Page> {
  const page = await open(`${address}${fragment}`, options);
  await page.getByText("Exited with 1").waitFor();
  return page;
}

const main = (page: Page) => page.getByRole("main");

describe("the header", () => {
  it("names both sides, the folder, the size and the end", async () => {
    const page = await openAt("");
    await expect.poll(() => page.getByRole("banner").innerText()).toContain("Example Agent 1.4.0");
    const text = await page.getByRole("banner").innerText();
    for (const part of ["with Editor 3.2.1", "ACP v1", "/home/user/project", "Secrets removed"])
      expect(text).toContain(part);
  });
});

describe("the views", () => {
  it("conversation: messages, tools with diffs and terminals, permissions and ends", async () => {
    const page = await openAt("#v=conversation");
    await main(page).getByText("Ended with end turn").first().waitFor();
    const text = await main(page).innerText();
    expect(text).toContain("The tests of read fail. Find out why and fix it.");
    expect(text).toContain("1 failed");
    expect(text).toContain('if (path === "") throw new Error("no path");');
    expect(text).toContain("Allowed by a rule: rule 2 of .dragoman/rules.json");
    expect(text).toContain("The prompt failed: the model did not answer");
    expect(text).toContain("without a message or a tool call");
  });

  it("timeline: bars that the arrow keys reach, and the same as a table", async () => {
    const page = await openAt("#v=timeline");
    await page.getByRole("group", { name: /^Timeline/ }).focus();
    await page.keyboard.press("ArrowRight");
    await expect.poll(() => main(page).innerText()).toContain("turn 1");
    await page.keyboard.press("ArrowRight");
    await expect.poll(() => main(page).innerText()).toContain("npm test -- read");
    await page.getByLabel("Show as table").check();
    const table = page.getByRole("grid", { name: "Timeline as a table" });
    await expect.poll(() => table.innerText()).toContain("terminal/wait_for_exit");
  });

  it("frames: a filter, folded chunks, and the detail of one", async () => {
    const page = await openAt("#v=frames");
    const list = page.getByRole("grid", { name: "Frames" });
    await expect.poll(() => list.getByRole("row").count()).toBeGreaterThan(10);
    await page.getByRole("searchbox", { name: "Filter frames" }).fill("method:session/prompt");
    await expect.poll(() => page.getByTestId("matches").innerText()).toMatch(/^8 of 81, /);
    await list.getByRole("row", { name: /Now delete/ }).click();
    const detail = page.getByRole("region", { name: "Frame" });
    await expect.poll(() => detail.innerText()).toContain("resource_link");
    await detail.getByRole("button", { name: "Raw line" }).click();
    await expect.poll(() => detail.innerText()).toContain('"method":"session/prompt"');
    await detail.getByRole("button", { name: "Request and response" }).click();
    await expect.poll(() => detail.innerText()).toContain("stopReason");
  });

  it("frames: a filter that finds nothing says so and offers others", async () => {
    const page = await openAt("#v=frames&q=nothing-like-this");
    await main(page).getByText("No frame matches").waitFor();
    await page.getByRole("button", { name: "Show all frames" }).click();
    await expect.poll(() => page.getByTestId("matches").innerText()).toBe("81 frames");
  });

  it("frames: what the schema says about the chosen field, and fields that it does not have", async () => {
    const page = await openAt("#v=frames&f=12&d=tree");
    const key = (name: string) => page.getByRole("button", { name, exact: true });
    await key("sessionId").click();
    await page.getByText("The session that this update is about.").waitFor();
    await key("update").click();
    await page.getByText("The schema does not have this field.").waitFor();
    expect(await key("entries").getAttribute("title")).toBe("params.update.entries");
  });

  it("tools: their steps, input, diff and permission", async () => {
    const page = await openAt("#v=tools");
    await page.getByRole("row", { name: /Edit src\/read.ts/ }).click();
    const detail = page.getByRole("region", { name: "Frame" });
    await expect.poll(() => detail.innerText()).toContain("Always allow");
    expect(await detail.innerText()).toContain("load(path, { limit: LIMIT })");
    expect(await detail.getByRole("list", { name: "Status" }).innerText()).toMatch(
      /pending[^]*in progress[^]*completed/,
    );
  });

  it("permissions: all options in order, the answer, who decided and why", async () => {
    const page = await openAt("#v=permissions");
    const third = page.getByRole("region", { name: "Permission 3" });
    await expect.poll(() => third.innerText()).toMatch(/Allow once[^]*Always allow[^]*Reject/);
    expect(await third.innerText()).toContain(
      "Denied by a flag of the command line: --deny delete",
    );
  });

  it("numbers: times by cause, percentiles, tokens and cost", async () => {
    const page = await openAt("#v=numbers");
    await main(page).getByText("Tokens and cost").waitFor();
    const text = await main(page).innerText();
    for (const part of ["person 2.10 s", "p99", "17,900 / 1,200", "0.0510 USD"])
      expect(text).toContain(part);
    await main(page).getByRole("button", { name: "670 ms" }).first().click();
    await page.getByRole("region", { name: "Frame" }).waitFor();
  });

  it("findings: the rule, its requirement, the side and the frames", async () => {
    const page = await openAt("#v=findings");
    await main(page).getByText("No message or tool update follows the response").waitFor();
    await main(page).getByRole("button", { name: "#75" }).click();
    const detail = page.getByRole("region", { name: "Frame" });
    await expect.poll(() => detail.innerText()).toContain("updates of the turn came after");
  });

  it("stderr: the agent's words among the frames, with their colors", async () => {
    const page = await openAt("#v=stderr");
    await main(page).getByText("connection reset by peer").waitFor();
    await main(page).getByText("Debugger listening on port 9229").waitFor();
    await main(page).getByText("The agent ended with code 1.").waitFor();
  });

  it("stderr: marks no other line when the selected one leaves the range", async () => {
    const page = await openAt("#v=stderr");
    const first = main(page).getByText("no configuration, using defaults");
    await first.click();
    const selected = main(page).getByRole("row", { selected: true });
    await expect.poll(() => selected.count()).toBe(1);
    await page.evaluate("location.hash += '&t=1-60000'");
    await first.waitFor({ state: "detached" });
    expect(await selected.count()).toBe(0);
  });

  it("compare: turns that differ are open, and those that do not are closed", async () => {
    const page = await open(`${both}#v=compare`);
    const turn = (number: number) =>
      main(page).getByRole("button", {
        name: new RegExp(`turn ${number}\\b`),
        expanded: number !== 2,
      });
    for (const number of [1, 2, 3, 4]) await turn(number).waitFor();
    await main(page).getByRole("region", { name: "Tool calls" }).first().waitFor();
    await turn(1).click();
    await page.getByLabel("Compare texts").check();
    await main(page)
      .getByRole("button", { name: /turn 1\b/, expanded: false })
      .waitFor();
  });

  it("have tabs whose names tell the number from the title", async () => {
    const page = await open(`${both}#v=frames`);
    const tabs = page.getByRole("navigation", { name: "Views" });
    const named = [
      "Conversation, 22",
      "Timeline",
      "Frames, 81",
      "Tools, 4",
      "Permissions, 3",
      "Numbers",
      "Findings, 2",
      "Stderr",
      "Compare",
    ];
    await expect
      .poll(async () => (await tabs.ariaSnapshot()).match(/(?<=button ")[^"]+/g))
      .toEqual(named);
    await page.getByRole("img", { name: "16 frames", exact: true }).waitFor();
    await page.getByRole("img", { name: "1 finding", exact: true }).waitFor();
  });

  it.each(["conversation", "tools", "permissions", "stderr", "findings"])(
    "%s: an empty stretch of time says nothing about the rest of the recording",
    async (view) => {
      const page = await openAt(`#v=${view}&t=20000-20001`);
      await main(page).getByText("in this stretch of time").waitFor();
      await page.getByRole("button", { name: "Show the whole session", exact: true }).click();
      await main(page).getByText("in this stretch of time").waitFor({ state: "detached" });
    },
  );

  it("compare: the set-up, then turn by turn", async () => {
    const page = await open(`${both}#v=compare`);
    await main(page).getByText("agent.agentInfo.version").waitFor();
    await main(page).getByText("only in A").first().waitFor();
    await page.getByLabel("Compare texts").check();
    await main(page).getByText("The test with an empty path fails").first().waitFor();
  });
});

describe("one selection", () => {
  it("is the same in all views, and survives a reload", async () => {
    const page = await openAt("#v=frames");
    await page
      .getByRole("row", { name: /fs\/write_text_file/ })
      .first()
      .click();
    await page.getByRole("button", { name: "Turn 1" }).click();
    await expect.poll(() => page.url()).toMatch(/v=timeline&f=\d+&d=tree/);
    await page.getByRole("button", { name: "In frames" }).click();
    const before = page.url();
    await page.reload();
    await expect
      .poll(() => page.locator(".row.active:visible").innerText())
      .toContain("fs/write_text_file");
    expect(page.url()).toBe(before);
  });

  it("Back closes what was opened", async () => {
    const page = await openAt("#v=frames");
    await page
      .getByRole("row", { name: /session\/new/ })
      .first()
      .click();
    await page.getByRole("region", { name: "Frame" }).waitFor();
    await page.goBack();
    await page.getByRole("region", { name: "Frame" }).waitFor({ state: "detached" });
  });

  it("a stretch of time narrows every view", async () => {
    const page = await openAt("#v=conversation&t=48000-50000");
    await expect.poll(() => main(page).innerText()).toContain("Now delete");
    expect(await main(page).innerText()).not.toContain("Find out why");
    await page.keyboard.press("3");
    await expect.poll(() => page.locator(".rows-body .row:visible").count()).toBeLessThan(20);
    await page.getByRole("button", { name: /^Only/ }).click();
    await expect.poll(() => page.locator(".rows-body .row:visible").count()).toBeGreaterThan(20);
  });
});

describe("the keyboard", () => {
  it("reaches everything: views, rows, pairs, tools, findings, search and dialogs", async () => {
    const page = await openAt("");
    await page.keyboard.press("3");
    await page.getByRole("grid", { name: "Frames" }).focus();
    await page.keyboard.press("Home");
    await page.keyboard.press("j");
    await expect.poll(() => page.url()).toContain("f=2");
    await page.keyboard.press("p");
    await expect.poll(() => page.url()).toContain("f=1");
    await page.keyboard.press("Enter");
    await page.getByRole("region", { name: "Frame" }).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("region", { name: "Frame" }).waitFor({ state: "detached" });
    await page.keyboard.press("n");
    await expect.poll(() => page.url()).toContain("f=3");
    await page.keyboard.press("n");
    await expect.poll(() => page.url()).toContain("f=75");
    await page.keyboard.press("/");
    await page.keyboard.type("kind:tool_call");
    await expect.poll(() => page.getByTestId("matches").innerText()).toMatch(/^4 of 81, /);
    await page.keyboard.press("Enter");
    await page.keyboard.press("Home");
    await page.keyboard.press("t");
    await expect.poll(() => page.url()).toContain("v=tools");
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Keys" }).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "hidden" });
    await page.keyboard.press("Control+k");
    await page.keyboard.type("#12");
    await page.keyboard.press("Enter");
    await expect.poll(() => page.url()).toContain("f=12");
  });

  it("counts every step, even if several come before the page is drawn", async () => {
    const page = await openAt("#v=frames");
    const list = page.getByRole("grid", { name: "Frames" });
    await expect.poll(() => list.getByRole("row").count()).toBeGreaterThan(10);
    await list.focus();
    // Four keys in one task. The code runs in the page, so its types are not known here.
    await page.evaluate(`for (const key of ["Home", "j", "j", "j"])
      document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }))`);
    await expect.poll(() => page.url()).toContain("f=4");
  });

  it("opens a dialog right after another one was closed", async () => {
    const page = await openAt("");
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Keys" }).waitFor();
    // Both in one task, before the page hears of the close.
    await page.evaluate(`document.getElementById("dialog").close();
      document.dispatchEvent(new KeyboardEvent("keydown", { key: "k", ctrlKey: true }));`);
    await page.keyboard.type("#12");
    await page.keyboard.press("Enter");
    await expect.poll(() => page.url()).toContain("f=12");
  });

  it("follows the active row with the name of its element", async () => {
    const page = await openAt("#v=frames&f=81");
    const list = page.getByRole("grid", { name: "Frames" });
    await list.focus();
    await list.evaluate("(list) => { list.scrollTop = 0; }");
    const id = await list.getAttribute("aria-activedescendant");
    expect(await page.locator(`#${id ?? ""}`).getAttribute("aria-selected")).toBe("true");
    expect(await list.getAttribute("aria-rowcount")).toMatch(/^\d+$/);
  });
});

describe("copies and exports", () => {
  it("copies the raw line, and offers the rest in a menu", async () => {
    const page = await openAt("#v=frames&f=1", { permissions: [] });
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.keyboard.press("c");
    await page.getByText(/^Copied: Raw line/).waitFor();
    expect(await page.evaluate("navigator.clipboard.readText()")).toContain('"initialize"');
    await page.keyboard.press("C");
    await page.getByRole("button", { name: "Conversation as Markdown" }).click();
    await expect
      .poll(() => page.evaluate("navigator.clipboard.readText()"))
      .toContain("# Example Agent 1.4.0");
  });

  it.each([
    ["Recording", "example-1.jsonl", '"recording":"dragoman"'],
    ["Conversation", "example-1.md", "# Example Agent"],
    ["Trace", "example-1.trace.json", "traceEvents"],
    ["Findings", "example-1.findings.json", "DRA-PROMPT-03"],
  ])("exports the %s", async (name, file, content) => {
    const page = await openAt("");
    await page.keyboard.press("e");
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: new RegExp(`^${name} `) }).click(),
    ]);
    expect(download.suggestedFilename()).toBe(file);
    expect(await readFile(await download.path(), "utf8")).toContain(content);
  });

  it("exports itself as a page that opens as a file", async () => {
    const page = await openAt("");
    await page.keyboard.press("e");
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: /^One HTML page/ }).click(),
    ]);
    const again = await open(`${await pages.keep(download)}#v=frames`);
    await expect.poll(() => again.getByTestId("matches").innerText()).toBe("81 frames");
  });
});

describe("hostile content", () => {
  it.each(["conversation", "frames", "tools", "permissions", "timeline", "findings"])(
    "stays text in %s",
    async (view) => {
      const page = await openAt(`#v=${view}&f=65&d=tree`);
      await expect.poll(() => page.locator("main").innerText()).not.toBe("");
      expect(await page.evaluate("window.evil")).toBeUndefined();
      expect(await page.locator("main img, main script").count()).toBe(0);
      expect(await page.locator('a[href^="javascript:"]').count()).toBe(0);
    },
  );

  it("is visible: the text itself, and marks that change its direction", async () => {
    const page = await openAt("#v=conversation&f=65");
    await expect.poll(() => main(page).innerText()).toContain(EVIL);
    expect(await main(page).innerText()).toContain("user<U+202E>txt.exe");
    const link = main(page).getByRole("link", { name: "another" });
    expect(await link.getAttribute("rel")).toBe("noopener noreferrer");
  });

  it("is not taken for a template", async () => {
    const fakes = [
      { _$litType$: 1, strings: [EVIL], values: [] },
      { _$litType$: { h: [EVIL], parts: [] }, values: [] },
      { _$litDirective$: EVIL },
    ];
    const names = /^(?:jsonrpc|method|sessionUpdate|type|sessionId|toolCallId|terminalId)$/;
    let strings = 0;
    const entries = EXAMPLE_ENTRIES.map((entry) => {
      if (!("line" in entry) || !entry.line.startsWith("{")) return entry;
      const line: unknown = JSON.parse(entry.line, (key, value: unknown) =>
        typeof value === "string" && !names.test(key) ? fakes[strings++ % fakes.length] : value,
      );
      return { ...entry, line: JSON.stringify(line) };
    });
    const text = [EXAMPLE_HEADER, ...entries].map((entry) => `${JSON.stringify(entry)}\n`).join("");
    const page = await open(await pages.write("fakes", [text, EXAMPLE]));
    await page.getByText("Exited with 1").waitFor();
    for (const view of VIEWS) {
      await page.evaluate(`location.hash = "#v=${view}&f=65&d=tree"`);
      await page.getByRole("main", { name: view }).waitFor();
      await page.locator("main *").first().waitFor();
      expect(await page.evaluate("window.evil")).toBeUndefined();
      expect(await page.locator("main img, main script").count()).toBe(0);
    }
  });
});

describe("data that tries to fill the memory", () => {
  it("is read only up to a limit", async () => {
    const pack = createGzip();
    const piece = Buffer.alloc(1024 * 1024);
    const pieces = Readable.from(Array.from({ length: 520 }, () => piece));
    const packed = await buffer(pieces.pipe(pack));
    const page = await open(await pages.writePacked("bomb", packed));
    await page.getByText("The data inside this page is too large.").waitFor();
  });

  it("is not drawn if it is an image with too many pixels", async () => {
    const images = [blackPng(20, 10), blackPng(20_000, 10_000)];
    const prompt = images.map((data) => ({ type: "image", mimeType: "image/png", data }));
    const params = { sessionId: "sess-1", prompt };
    const line = JSON.stringify({ jsonrpc: "2.0", id: 9, method: "session/prompt", params });
    const entry = JSON.stringify({ ms: 90_000, direction: "out", line });
    const page = await open(await pages.write("images", [`${EXAMPLE}${entry}\n`]));
    await main(page).getByText("Image, image/png, too large").waitFor();
    expect(await main(page).locator("img").count()).toBe(2);
    expect(await main(page).locator("img:visible").count()).toBe(1);
  });
});

describe("the look", () => {
  const views = ["conversation", "timeline", "frames", "tools", "permissions", "numbers"];
  const rest = ["findings", "stderr"];

  it.each([
    ["light", 1440],
    ["dark", 1440],
    ["light", 390],
    ["dark", 320],
  ] as const)("has no serious fault of accessibility: %s, %i pixels", async (scheme, width) => {
    const page = await openAt("#v=conversation", {
      colorScheme: scheme,
      viewport: { width, height: 844 },
    });
    await page.evaluate(axe.source);
    for (const view of [...views, ...rest]) {
      const detail = width > 1000 ? "&f=33&d=tree" : "";
      await page.evaluate(`location.hash = "#v=${view}${detail}"`);
      await page.locator(`main[aria-label=${view}]`).waitFor();
      const found = await page.evaluate(AXE);
      expect(found, view).toEqual([]);
      const hidden = "document.documentElement.scrollWidth - document.documentElement.clientWidth";
      expect(await page.evaluate(hidden), view).toBe(0);
    }
  });

  it.each(["light", "dark"] as const)("has none in a comparison: %s", async (colorScheme) => {
    const page = await open(`${both}#v=compare`, { colorScheme });
    await page.evaluate(axe.source);
    await main(page).getByRole("region", { name: "Tool calls" }).first().waitFor();
    expect(await page.evaluate(AXE)).toEqual([]);
  });

  it.each(["help", "palette", "export", "copy"])("has none in the dialog %s", async (dialog) => {
    const page = await openAt("#v=frames&f=1");
    await page.evaluate(axe.source);
    const key = { help: "?", palette: "Control+k", export: "e", copy: "C" }[dialog] ?? "";
    await page.keyboard.press(key);
    await page.getByRole("dialog").waitFor();
    expect(await page.evaluate(AXE)).toEqual([]);
  });

  it("follows the theme of the system, and the switch", async () => {
    const page = await openAt("", { colorScheme: "dark" });
    const back = "getComputedStyle(document.body).backgroundColor";
    expect(await page.evaluate(back)).toBe("rgb(15, 17, 21)");
    await page.getByRole("button", { name: "Theme: auto" }).click();
    await expect.poll(() => page.evaluate(back)).toBe("rgb(246, 247, 249)");
  });

  it("covers the view with the detail on a narrow screen", async () => {
    const page = await openAt("#v=frames", { viewport: { width: 390, height: 844 } });
    await page
      .getByRole("row", { name: /session\/new/ })
      .first()
      .click();
    const box = await page.getByRole("region", { name: "Frame" }).boundingBox();
    expect(box?.width).toBe(390);
    await page.getByRole("button", { name: "Close", exact: true }).click();
    await page.getByRole("region", { name: "Frame" }).waitFor({ state: "detached" });
  });
});

const AXE = `axe.run().then(({ violations }) => violations
  .filter(({ impact }) => impact === "serious" || impact === "critical")
  .map(({ id, nodes }) => id + ": " + nodes.slice(0, 3).map(({ html }) => html.slice(0, 160)).join(" | ")))`;

describe("a live session", () => {
  let server: LiveServer;
  beforeAll(async () => {
    server = await serveLive(pages.page);
  });
  afterAll(() => server?.close());

  it("grows, survives a lost connection, and ends", async () => {
    const page = await open(`${server.url}#token=${server.token}&v=frames`);
    server.add(EXAMPLE_ENTRIES.slice(0, 30));
    await expect.poll(() => page.getByTestId("matches").innerText()).toBe("28 frames");
    expect(page.url()).not.toContain("token");
    server.drop();
    server.add(EXAMPLE_ENTRIES.slice(30));
    await expect.poll(() => page.getByTestId("matches").innerText()).toBe("81 frames");
    expect(server.asked).toEqual([0, 30]);
    server.end();
    await page.getByText("Exited with 1").waitFor();
    faults.length = 0;
  });

  it("says nothing about findings before there is an answer, and asks after the last frame", async () => {
    const live = await serveLive(pages.page);
    const release = live.holdFindings();
    live.add(EXAMPLE_ENTRIES.slice(0, 2));
    const page = await open(`${live.url}#token=${live.token}&v=findings`);
    await page.getByText("Live", { exact: true }).waitFor();
    await main(page).getByText("Checking the frames").waitFor();
    expect(await main(page).innerText()).not.toContain("No findings");
    expect(await page.locator("div.sr[role=status]").innerText()).not.toContain("finding");
    release();
    await main(page).getByText("No findings so far").waitFor();
    // This frame breaks a rule, and nothing comes after it.
    live.add(EXAMPLE_ENTRIES.slice(2, 6));
    await main(page).getByText("Every line on stdout is one JSON-RPC 2.0 object").waitFor();
    await page.close();
    await live.close();
  });

  it.each([
    ["conversation", "No conversation so far"],
    ["timeline", "No session so far"],
    ["tools", "No tool calls so far"],
    ["permissions", "No permissions so far"],
    ["stderr", "Nothing on stderr so far"],
    ["frames&q=nothing-like-this", "No frame matches so far"],
    ["frames&f=40&d=tree", "Frame 40 has not been read yet."],
  ])("may still get what it lacks: %s", async (view, text) => {
    const live = await serveLive(pages.page);
    live.add(EXAMPLE_ENTRIES.slice(1, 3));
    const page = await open(`${live.url}#token=${live.token}&v=${view}`);
    await page.getByText(text).waitFor();
    await page.close();
    await live.close();
  });

  it("says so if the token is wrong", async () => {
    const page = await open(`${server.url}#token=wrong`);
    await page.getByText("This link is not valid anymore").waitFor();
    faults.length = 0;
  });
});

it("stays small: HTML, style and script together", () => {
  expect(gzipSync(pages.page, { level: 9 }).length).toBeLessThan(120_000);
});
