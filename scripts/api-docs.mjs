// @ts-check
// `npm run docs -- api`: writes docs/api, the reference of every published entry, from the comments in the
// declarations that the package ships.
// Usage: node scripts/api-docs.mjs [--types <folder with declarations>] [--out <folder>]
import { cp, mkdtemp, readFile, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { register } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { publishedEntries, withDeclarations } from "./declarations.mjs";
import { root } from "./run.mjs";

// TypeDoc needs the compiler's JavaScript interface, which TypeScript 7 does not have.
const hook = `export const resolve = (name, context, next) =>
  next(name === "typescript" ? "@typescript/typescript6" : name, context);`;
register(`data:text/javascript,${encodeURIComponent(hook)}`, import.meta.url);
const { Application, LogLevel } = await import("typedoc");
const { load } = await import("typedoc-plugin-markdown");

const { values: options } = parseArgs({
  options: { types: { type: "string" }, out: { type: "string", default: join(root, "docs/api") } },
});
const out = resolve(options.out);

/** @satisfies {Partial<import("typedoc-plugin-markdown").PluginOptions> & { router: string }} */
const layout = {
  router: "module",
  hidePageHeader: true,
  hideBreadcrumbs: true,
  useCodeBlocks: true,
  parametersFormat: "table",
  interfacePropertiesFormat: "table",
  classPropertiesFormat: "table",
  typeAliasPropertiesFormat: "table",
  typeDeclarationFormat: "table",
  tableColumnSettings: { hideDefaults: true, hideInherited: true, hideOverrides: true },
};

const scratch = await mkdtemp(join(tmpdir(), "dragoman-api-"));
try {
  await withDeclarations(options.types, (folder) => cp(folder, scratch, { recursive: true }));
  await symlink(join(root, "node_modules"), join(scratch, "node_modules"), "dir");
  await writeReference();
} finally {
  await rm(scratch, { recursive: true, force: true });
}

async function writeReference() {
  const entries = await publishedEntries();
  const introductions = await Promise.all(entries.map(addIntroduction));
  const files = entries.map(({ id }) => join(scratch, `${id}.d.ts`));
  const compilerOptions = {
    target: "ES2022",
    module: "NodeNext",
    lib: ["ES2023", "ESNext.Disposable"],
    types: ["node"],
    strict: true,
    skipLibCheck: true,
  };
  await writeFile(join(scratch, "tsconfig.json"), JSON.stringify({ compilerOptions, files }));
  const app = await Application.bootstrapWithPlugins({
    name: "API reference",
    entryPoints: files,
    tsconfig: join(scratch, "tsconfig.json"),
    plugin: [load],
    readme: "none",
    logLevel: LogLevel.Warn,
    // Line numbers would make every edit of the sources an edit of the reference.
    disableSources: true,
    disableGit: true,
    excludeExternals: true,
    excludePrivate: true,
    sort: ["instance-first", "kind", "alphabetical"],
    outputs: [{ name: "markdown", path: out }],
    ...layout,
  });
  const project = await app.convert();
  if (!project) throw new Error("TypeDoc could not read the declarations");
  app.validate(project);
  assertNoProblems(app);
  await rm(out, { recursive: true, force: true });
  await app.generateOutputs(project);
  assertNoProblems(app);
  const pages = (await readdir(out, { recursive: true })).filter((name) => name.endsWith(".md"));
  await Promise.all(pages.map((name) => tidy(join(out, name))));
  const rows = entries.map(({ name }, index) => {
    const [sentence = ""] = introductions[index]?.split(/\.(?:\s|$)/) ?? [];
    const purpose = sentence.replace(/^`[^`]+`: /, "");
    return `| [\`${name}\`](${name}.md) | ${purpose} |`;
  });
  const head = "These pages are made from the comments in the sources.";
  const table = ["| Entry | Purpose |", "| --- | --- |", ...rows];
  await writeFile(join(out, "README.md"), `# API reference\n\n${head}\n\n${table.join("\n")}\n`);
}

/** @param {import("typedoc").Application} app */
function assertNoProblems({ logger }) {
  if (!logger.hasErrors() && !logger.hasWarnings()) return;
  throw new Error("TypeDoc reported the problems above");
}

/**
 * Gives an entry its published name, and the introduction that its source begins with. Resolves with the
 * introduction.
 * @param {import("./declarations.mjs").Entry} entry
 */
async function addIntroduction({ name, id }) {
  const source = await readFile(join(root, `src/entries/${id}.ts`), "utf8");
  const [comment] = /^\/\*\*[^]*?\*\//.exec(source) ?? [];
  if (comment === undefined) throw new Error(`src/entries/${id}.ts does not begin with a comment`);
  const text = comment.replaceAll(/^\/\*\*\s*|\s*\*\/$|^ *\* ?/gm, "");
  const file = join(scratch, `${id}.d.ts`);
  const described = `/**\n${text}\n\n@module ${name}\n*/\n`;
  await writeFile(file, described + (await readFile(file, "utf8")));
  return text;
}

/** @param {string} file */
async function tidy(file) {
  const text = await readFile(file, "utf8");
  const tidied = text
    // The bundler renames a type of the protocol to `X$1` if we export our own `X` in its place.
    .replaceAll(/\b(\w+)\$\d+\b/g, "$1")
    // The headings say which class a member comes from. These sections only repeat it.
    .replaceAll(/^#+ (?:Overrides|Inherited from)\n\n.*\n\n/gm, "");
  await writeFile(file, tidied);
}
