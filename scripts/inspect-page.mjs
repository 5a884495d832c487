// @ts-check
// Bundles the page of `dragoman inspect` into one HTML text.
// Usage: node scripts/inspect-page.mjs [FILE]
import { createHash } from "node:crypto";
import { readFile, readdir, writeFile } from "node:fs/promises";
import { builtinModules } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { transform } from "esbuild";
import { build } from "rolldown";
import { browserSiblings } from "./browser-siblings.mjs";

const folder = fileURLToPath(new URL("../src/apps/inspector/page/", import.meta.url));

/** The page: one HTML text with its style and its script. */
export async function inspectPage() {
  const [{ code }, style] = await Promise.all([script(), styles()]);
  // An end tag inside a string would end the element.
  const safe = code.trim().replaceAll("</script", String.raw`<\/script`);
  return `<!doctype html>
<html lang="en" data-script="${hash(safe)}" data-style="${hash(style)}">
<head>
<meta charset="utf-8">
<!--csp-->
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>dragoman inspect</title>
<link rel="icon" href="data:,">
<style>${style}</style>
</head>
<body>
<noscript>This page needs JavaScript.</noscript>
<!--data-->
<script type="module">${safe}</script>
</body>
</html>
`;
}

/** The files of packages whose code is in the page. */
export async function pageModules() {
  return (await script()).moduleIds.filter((id) => id.includes("/node_modules/"));
}

/** @param {string} text */
function hash(text) {
  return `sha256-${createHash("sha256").update(text).digest("base64")}`;
}

async function script() {
  const { output } = await build({
    input: join(folder, "main.ts"),
    platform: "browser",
    tsconfig: true,
    write: false,
    // Files that the page does not use may import them. The check below fails if one is left.
    external: [...builtinModules, /^node:/],
    // Every file of src only declares things.
    treeshake: { moduleSideEffects: false },
    plugins: [browserSiblings()],
    transform: { target: "es2022" },
    output: { format: "esm", minify: true, codeSplitting: false },
  });
  const [chunk, ...more] = output;
  if (more.length > 0 || chunk.imports.length > 0)
    throw new Error(`the page would import ${chunk.imports.join(", ")}`);
  // Minified code has line breaks only inside templates, where the indentation means nothing. Notes for
  // bundlers have done their work.
  const code = chunk.code
    .replaceAll(/\n\s+>/g, ">")
    .replaceAll(/\n\s+/g, " ")
    .replaceAll("/* @__PURE__ */", "");
  return { code, moduleIds: chunk.moduleIds };
}

async function styles() {
  const names = (await readdir(join(folder, "style"))).toSorted();
  const texts = await Promise.all(
    names.map((name) => readFile(join(folder, "style", name), "utf8")),
  );
  const { code } = await transform(texts.join(""), { loader: "css", minify: true });
  return code.trim();
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const page = await inspectPage();
  const file = process.argv[2];
  if (file === undefined) process.stdout.write(page);
  else await writeFile(file, page);
}
