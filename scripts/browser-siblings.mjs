// @ts-check
import { existsSync } from "node:fs";
import { dirname, resolve } from "node:path";

/**
 * For bundles that run in browsers: `x.browser.ts` takes the place of `x.ts` where there is one.
 * @returns {import("rolldown").Plugin}
 */
export function browserSiblings() {
  return {
    name: "browser-siblings",
    resolveId(source, importer) {
      if (!importer || !/^\.{1,2}\/.*\.ts$/.test(source)) return null;
      const sibling = resolve(dirname(importer), source.replace(/\.ts$/, ".browser.ts"));
      return existsSync(sibling) ? sibling : null;
    },
  };
}
