// The recipe of the cookbook for browsers, in a real browser.
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { build } from "esbuild";
import { afterAll, beforeAll, expect, it } from "vitest";
import { unpackTarball } from "../support/package.ts";
import { programOf } from "../support/recipes.ts";
import { Chromium } from "./chromium.ts";
import { type PageServer, servePage } from "./server.ts";

let server: PageServer;
const chromium = new Chromium();

beforeAll(async () => {
  const cookbook = await readFile(new URL("../../docs/cookbook.md", import.meta.url), "utf8");
  const packed = await unpackTarball();
  try {
    const file = join(packed.consumer, "page.ts");
    const page = "Object.assign(globalThis, { ask });";
    await writeFile(file, `${programOf(cookbook, "Use an agent from a browser")}\n${page}\n`);
    const options = { bundle: true, platform: "browser", format: "esm", write: false } as const;
    const { outputFiles } = await build({ entryPoints: [file], outdir: "/", ...options });
    server = await servePage(new Map(outputFiles.map(({ path, text }) => [path, text])));
  } finally {
    await packed.remove();
  }
});

afterAll(() => server?.close());

/** Calls `ask` in a page. Resolves with the shown text, the questions and how the turn ended. */
async function ask(prompt: string, allow: boolean): Promise<unknown> {
  const page = await chromium.newPage();
  await page.goto(server.page);
  await page.waitForFunction("globalThis.ask !== undefined");
  const url = server.page.replace("http", "ws");
  const cwd = JSON.stringify(process.cwd());
  const result: unknown = await page.evaluate(`(async () => {
    const shown = [], asked = [];
    const view = {
      show: (text) => void shown.push(text),
      confirm: async ({ toolCall }) => { asked.push(toolCall.title); return ${allow}; },
    };
    const end = await ask("${url}agent", ${cwd}, ${JSON.stringify(prompt)}, view);
    return { end, text: shown.join(""), asked };
  })()`);
  return result;
}

it("shows an answer", async () => {
  expect(await ask("/title A fine day", false)).toEqual({
    end: "end_turn",
    text: 'The session is now called "A fine day".',
    asked: [],
  });
});

it.each([
  [true, "allowed"],
  [false, "not allowed"],
])("asks the person, who answers %s", async (allow, verdict) => {
  expect(await ask("/permission", allow)).toMatchObject({
    end: "end_turn",
    text: expect.stringContaining(verdict),
    asked: ["Do nothing at all"],
  });
});

it("reports that the agent is gone", async () => {
  expect(await ask("/crash", false)).toMatchObject({ end: "disconnected" });
});
