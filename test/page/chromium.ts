import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { type Browser, chromium } from "playwright-core";

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

export function startChromium(): Promise<Browser> {
  // The sandbox of Chromium does not work for root, as in a container.
  const args = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
  return chromium.launch({ executablePath: findChromium(), args });
}
