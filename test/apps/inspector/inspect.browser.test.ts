import { existsSync, readFileSync } from "node:fs";
import { builtinModules } from "node:module";
import { dirname, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "rolldown";
import { expect, it } from "vitest";

const entry = fileURLToPath(new URL("../../../src/apps/inspector/index.ts", import.meta.url));
/** The index without the server, which is the only part for Node. */
const pure = readFileSync(entry, "utf8").replaceAll(/^export [^;]*"\.\/server\/[^;]*;\n/gm, "");

it("everything but the server runs in browsers: it imports no module and uses nothing of Node", async () => {
  expect(pure).toContain("./findings.ts");
  expect(pure).not.toContain("./server/");
  const { output } = await build({
    input: entry,
    platform: "browser",
    tsconfig: true,
    write: false,
    logLevel: "silent",
    external: [...builtinModules, /^node:/],
    plugins: [
      { name: "without-server", load: (id) => (id === entry ? pure : null) },
      {
        name: "browser-siblings",
        resolveId(source, importer) {
          if (importer === undefined || !/^\.{1,2}\/.*\.ts$/.test(source)) return null;
          const sibling = resolve(dirname(importer), source.replace(/\.ts$/, ".browser.ts"));
          return existsSync(sibling) ? sibling : null;
        },
      },
    ],
    output: { format: "esm", minify: true },
  });
  const [chunk, ...more] = output.filter((part) => part.type === "chunk");
  expect(more).toEqual([]);
  expect(chunk?.imports).toEqual([]);
  expect(chunk?.dynamicImports).toEqual([]);
  expect(chunk?.code).not.toMatch(
    /\b(?:Buffer\.\w|process\.(?:argv|cwd|env|nextTick|platform)|require\(|setImmediate\()/,
  );
});
