import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect } from "vitest";

const NAMES = ["chromium", "chromium-browser", "google-chrome-stable", "google-chrome"];

/** The browser of the system: the one that CHROMIUM names, or the first in the PATH. */
function findChromium(): string {
  const named = process.env["CHROMIUM"];
  if (named !== undefined && named !== "") return named;
  const folders = (process.env["PATH"] ?? "").split(delimiter).filter((folder) => folder !== "");
  const candidates = NAMES.flatMap((name) => folders.map((folder) => join(folder, name)));
  const found = candidates.find(isExecutable);
  if (found !== undefined) return found;
  throw new Error("there is no Chromium: install the package chromium, or set CHROMIUM to a path");
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** The browser for the tests of a file. */
export class Chromium {
  /** The errors of its pages. A test fails if any are left after it. */
  readonly faults: string[] = [];
  readonly #expected: RegExp | undefined;
  #browser: Browser | undefined;

  /** `expected` are errors that do not count. */
  constructor(expected?: RegExp) {
    this.#expected = expected;
    beforeAll(async () => {
      // The sandbox of Chromium does not work for root, as in a container.
      const args = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
      this.#browser = await chromium.launch({ executablePath: findChromium(), args });
    });
    afterEach(async () => {
      await Promise.all(this.#live.contexts().map((context) => context.close()));
      expect(this.faults.splice(0)).toEqual([]);
    });
    afterAll(() => this.#browser?.close());
  }

  async newPage(options: BrowserContextOptions = {}): Promise<Page> {
    const page = await this.#live.newPage(options);
    page.on("pageerror", (error) => this.faults.push(error.message));
    page.on("console", (message) => {
      const text = message.text();
      if (message.type() === "error" && this.#expected?.test(text) !== true) this.faults.push(text);
    });
    return page;
  }

  get #live(): Browser {
    if (!this.#browser) throw new Error("Chromium has not started");
    return this.#browser;
  }
}
