// The rules of docs/architecture.md as functions from source text to complaints, so that the test can
// prove each of them on made-up sources. The arrows between layers are read from that page.
import { readFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { posix } from "node:path";
import { parseSync } from "rolldown/utils";

export interface Source {
  /** Relative to the repository, with forward slashes: `src/transport/wire/lines/splitter.ts`. */
  readonly path: string;
  readonly text: string;
}

export interface Import {
  /** What stands between the quotes; undefined when it is computed. */
  readonly name: string | undefined;
  readonly kind: "value" | "type" | "dynamic";
}

type Arrows = Readonly<Record<string, readonly string[]>>;

/** The layers in the page's `arrows` block, each with those that it may import directly. */
function arrowsIn(page: string): Arrows {
  const [, block] = /^```arrows\n(.*?)^```/ms.exec(page) ?? [];
  if (block === undefined) throw new Error("the page has no arrows");
  const rows = block.trim().split("\n");
  return Object.fromEntries(
    rows.map((row) => {
      const [layer = "", targets = ""] = row.split("->").map((part) => part.trim());
      return [layer, targets === "" ? [] : targets.split(/,\s*/)];
    }),
  );
}

/** The layers of src. Nested folders such as `client/rules` are layers beside the one around them. */
const arrows = arrowsIn(
  readFileSync(new URL("../../docs/architecture.md", import.meta.url), "utf8"),
);

/**
 * The folders that commands share, each with those that it may import directly. A command in
 * `cli/commands/<name>` may import all of them, and no other command; what is directly in `cli/commands`
 * and in `cli` may import everything below it.
 */
const commandArrows: Arrows = {
  shell: [],
  render: ["shell"],
  editor: ["render"],
  settings: ["render"],
  stored: ["settings"],
  tty: ["editor", "settings"],
  context: ["stored", "tty"],
  agents: ["context"],
  inspect: ["context"],
  warm: ["agents"],
  permissions: ["agents"],
  connect: ["inspect", "permissions", "warm"],
  prompt: ["context"],
  session: ["connect", "prompt"],
  input: ["session"],
  doctor: ["session"],
  fleet: ["agents"],
  serve: ["connect"],
};

/** Layers that speak to a terminal; everywhere else stdout may be the protocol. */
const terminalLayers = new Set(["apps/cli", "apps/bin"]);

/** Packages that the client may load, and only at the moment it needs them. */
const lazyPackages = new Set(["ajv", "cross-spawn", "diff", "ws"]);
/** Packages whose types the build inlines and whose code it never loads. */
const typePackages = new Set(["@agentclientprotocol/sdk"]);

/** The innermost layer that a file is in, or undefined. */
function layerOf(path: string): string | undefined {
  return Object.keys(arrows)
    .filter((layer) => path.startsWith(`src/${layer}/`))
    .toSorted((one, other) => other.length - one.length)[0];
}

function reach(folder: string, along: Arrows = arrows): Set<string> {
  const found = new Set<string>();
  const visit = (name: string): void => {
    if (found.has(name)) return;
    found.add(name);
    for (const next of along[name] ?? []) visit(next);
  };
  visit(folder);
  return found;
}

export function againstTheArrows(sources: readonly Source[]): string[] {
  return sources.flatMap((source) => {
    const layer = layerOf(source.path);
    if (layer === undefined) return [`${source.path} is in no layer of the architecture`];
    const allowed = reach(layer);
    return importsOf(source).flatMap(({ name }) => {
      if (name === undefined) return [];
      if (packageOf(name) === "dragoman") {
        return [`${source.path} imports "${name}", itself, past the arrows`];
      }
      if (!name.startsWith(".")) return [];
      const target = resolveFrom(source.path, name);
      const other = layerOf(target);
      if (other !== undefined && allowed.has(other)) return [];
      return [`${source.path} imports ${target} (${layer} may not import ${other ?? "that"})`];
    });
  });
}

/** Arrows that no import needs. */
export function unusedArrows(sources: readonly Source[]): string[] {
  const used = new Set(
    sources.flatMap((source) =>
      importsOf(source).flatMap(({ name }) =>
        name?.startsWith(".")
          ? [`${layerOf(source.path)} -> ${layerOf(resolveFrom(source.path, name))}`]
          : [],
      ),
    ),
  );
  return Object.entries(arrows)
    .flatMap(([layer, targets]) => targets.map((target) => `${layer} -> ${target}`))
    .filter((arrow) => !used.has(arrow));
}

/**
 * The files and folders in the page's data flows that `src` does not have. A row may name a file by the
 * end of its path after the row that has the folder: `a/b/c.ts -> d.ts` names `a/b/d.ts`.
 */
export function missingFiles(page: string, sources: readonly Source[]): string[] {
  const [, flows = ""] = /^## How data flows\n(.*?)^## /ms.exec(page) ?? [];
  const paths = sources.map(({ path }) => path);
  return [...flows.matchAll(/[\w-]+(?:\/[\w-]+)*(?:\.ts|\/)/g)]
    .map(([name]) => name)
    .filter(
      (name) =>
        !paths.some((path) => `${path}/`.includes(`/${name}${name.endsWith("/") ? "" : "/"}`)),
    );
}

/** Imports between folders of the command line that follow no arrow. */
export function againstTheCommandArrows(sources: readonly Source[]): string[] {
  return sources.flatMap((source) => {
    const from = commandFolderOf(source.path);
    if (from === undefined) return [];
    if (!isCommandFolder(from)) return [`${source.path} is in no folder of the command line`];
    return importsOf(source).flatMap(({ name }) => {
      if (!name?.startsWith(".")) return [];
      const target = resolveFrom(source.path, name);
      const to = commandFolderOf(target);
      if (to === undefined || to === from || mayImport(from, to)) return [];
      return [`${source.path} imports ${target} (${from} may not import ${to})`];
    });
  });
}

/** The folder of the command line that a file is in: `cli`, `commands`, `commands/<name>` or a shared one. */
function commandFolderOf(path: string): string | undefined {
  const [, folder, rest] = /^src\/apps\/cli\/(?:([^/]+)\/)?(.+)$/.exec(path) ?? [];
  if (rest === undefined) return undefined;
  if (folder === undefined) return "cli";
  return folder === "commands" && rest.includes("/") ? `commands/${rest.split("/")[0]}` : folder;
}

function isCommandFolder(folder: string): boolean {
  const isAbove = folder === "cli" || folder === "commands" || folder.startsWith("commands/");
  return isAbove || Object.hasOwn(commandArrows, folder);
}

function mayImport(from: string, to: string): boolean {
  if (from === "cli") return true;
  if (from === "commands") return to !== "cli";
  return Object.hasOwn(commandArrows, to)
    ? from.startsWith("commands/") || reach(from, commandArrows).has(to)
    : false;
}

/** Imports that reach into another layer past its `index.ts`. Entries may also re-export its public lists. */
export function pastTheIndex(sources: readonly Source[]): string[] {
  return sources.flatMap((source) => {
    const layer = layerOf(source.path);
    return importsOf(source).flatMap(({ name }) => {
      if (!name?.startsWith(".")) return [];
      const target = resolveFrom(source.path, name);
      const other = layerOf(target);
      if (other === undefined || other === layer || target === `src/${other}/index.ts`) return [];
      if (layer === "entries" && /\/public(?:-\w+)?\.ts$/.test(target)) return [];
      return [`${source.path} imports ${target}, not src/${other}/index.ts`];
    });
  });
}

/** The names that a module exports, through every file that it exports again. */
export function exportedNames(path: string, sources: readonly Source[]): Set<string> {
  const byPath = new Map(sources.map((source) => [source.path, source]));
  const names = new Set<string>();
  const visit = (from: string): void => {
    const source = byPath.get(from);
    if (!source) throw new Error(`there is no ${from}`);
    walk(programOf(source), (node) => {
      if (node.type === "ExportAllDeclaration") {
        visit(resolveFrom(from, literal(node["source"]) ?? ""));
      } else if (node.type === "ExportNamedDeclaration") {
        for (const name of namesOf(node)) names.add(name);
      }
    });
  };
  visit(path);
  return names;
}

function namesOf(exported: Node): string[] {
  const declared = exported["declaration"];
  const parts = isNode(declared)
    ? (declared["declarations"] ?? [declared])
    : exported["specifiers"];
  const nodes: unknown[] = Array.isArray(parts) ? parts : [];
  return nodes.filter(isNode).map((node) => identifier(node["exported"] ?? node["id"]));
}

/** Groups of files that import each other in a circle, type-only imports included. */
export function importCycles(sources: readonly Source[]): string[] {
  const paths = new Set(sources.map(({ path }) => path));
  const imports = new Map(
    sources.map((source) => [
      source.path,
      importsOf(source)
        .flatMap(({ name }) => (name?.startsWith(".") ? [resolveFrom(source.path, name)] : []))
        .filter((target) => paths.has(target)),
    ]),
  );
  const cycles: string[] = [];
  const finished = new Set<string>();
  const visit = (path: string, trail: readonly string[]): void => {
    const start = trail.indexOf(path);
    if (start >= 0) cycles.push([...trail.slice(start), path].join(" -> "));
    if (start >= 0 || finished.has(path)) return;
    for (const next of imports.get(path) ?? []) visit(next, [...trail, path]);
    finished.add(path);
  };
  for (const path of paths) visit(path, []);
  return cycles;
}

/** Test files in a folder of a layer that `src` does not have: `test/<path>` tests `src/<path>`. */
export function strayTests(files: readonly Source[]): string[] {
  const sources = files.map(({ path }) => path).filter((path) => path.startsWith("src/"));
  const folders = new Set(sources.flatMap(foldersOf));
  return files
    .map(({ path }) => path)
    .filter((path) => path.endsWith(".test.ts") && folders.has(`src/${path.split("/")[1]}`))
    .filter((path) => !folders.has(posix.dirname(path).replace(/^test\//, "src/")))
    .map((path) => `${path} is in a folder that src does not have`);
}

function foldersOf(path: string): string[] {
  const parts = path.split("/").slice(0, -1);
  return parts.map((_, index) => parts.slice(0, index + 1).join("/"));
}

/** Exported type names that two layers declare, so that one word would name two things. */
export function sharedTypeNames(sources: readonly Source[]): string[] {
  const layers = new Map<string, Set<string>>();
  for (const source of sources) {
    for (const name of exportedTypes(source)) {
      const declared = layers.get(name) ?? new Set<string>();
      layers.set(name, declared.add(layerOf(source.path) ?? source.path));
    }
  }
  return [...layers]
    .filter(([, declared]) => declared.size > 1)
    .map(([name, declared]) => `${name} is declared in ${[...declared].join(" and ")}`);
}

/**
 * The types, interfaces and classes that a file declares and exports. Re-exports from packages
 * count too, because they bring a name into the layer; re-exports from other files do not.
 */
function exportedTypes(source: Source): string[] {
  const names: string[] = [];
  walk(programOf(source), (node) => {
    if (node.type !== "ExportNamedDeclaration") return;
    const declared = node["declaration"];
    if (isNode(declared)) {
      if (/^(?:TSTypeAlias|TSInterface|Class)Declaration$/.test(declared.type)) {
        names.push(identifier(declared["id"]));
      }
      return;
    }
    if (literal(node["source"])?.startsWith(".") ?? true) return;
    const specifiers: unknown[] = Array.isArray(node["specifiers"]) ? node["specifiers"] : [];
    for (const specifier of specifiers) {
      if (isNode(specifier)) names.push(identifier(specifier["exported"]));
    }
  });
  return names;
}

function identifier(node: unknown): string {
  if (!isNode(node) || typeof node["name"] !== "string") throw new TypeError("expected a name");
  return node["name"];
}

export function consoleInLibrary(sources: readonly Source[]): string[] {
  return sources
    .filter((source) => !terminalLayers.has(layerOf(source.path) ?? ""))
    .filter((source) => usesConsole(source))
    .map((source) => `${source.path} uses console`);
}

/** What `entry` reaches, by any kind of import, that is not needed to talk to an agent. */
export function beyondTheClient(entry: string, sources: readonly Source[]): string[] {
  const byPath = new Map(sources.map((source) => [source.path, source]));
  const allowed = reach("client").add("entries");
  const complaints: string[] = [];
  const seen = new Set<string>();

  const visit = (path: string, from: string, isLazy: boolean): void => {
    const key = `${path} ${isLazy}`;
    if (seen.has(key)) return;
    seen.add(key);
    const source = byPath.get(path);
    if (!source) {
      complaints.push(`${from} imports ${path}, which does not exist`);
      return;
    }
    const layer = layerOf(path);
    if (layer === undefined || !allowed.has(layer)) {
      complaints.push(`${from} imports ${path}`);
      return;
    }
    for (const found of importsOf(source)) {
      const isLater = isLazy || found.kind === "dynamic";
      if (found.name?.startsWith(".")) visit(resolveFrom(path, found.name), path, isLater);
      else if (!neededByClient(found, isLazy)) {
        complaints.push(`${path} has a ${found.kind} import of ${found.name ?? "a computed name"}`);
      }
    }
  };
  visit(entry, "the entry", false);
  return complaints;
}

function neededByClient({ name, kind }: Import, isLazy: boolean): boolean {
  if (name === undefined) return false;
  if (isBuiltin(name)) return true;
  const from = packageOf(name);
  switch (kind) {
    case "value":
      return isLazy && lazyPackages.has(from);
    case "dynamic":
      return lazyPackages.has(from);
    case "type":
      return lazyPackages.has(from) || typePackages.has(from);
  }
}

// The patterns are written so that this file does not match itself.
const forbidden: readonly { what: string; pattern: RegExp }[] = [
  { what: "an absolute path of some machine", pattern: /(?<![\w.~-])\/(?:work|root)\/[\w.-]*/ },
  {
    what: "a package registry's host",
    pattern: /\bregistry\.(?:npmjs|yarnpkg|npmmirror)\.\w+|https?:\/\/(?:[\w-]+\.)*npm\.[\w.-]+/,
  },
  { what: "a lock entry with an address", pattern: /"resolved": "(?:git\+)?https?:[^"]*/ },
];

export function forbiddenText(files: readonly Source[]): string[] {
  return files.flatMap(({ path, text }) =>
    forbidden.flatMap(({ what, pattern }) => {
      const found = pattern.exec(text);
      if (!found) return [];
      const line = text.slice(0, found.index).split("\n").length;
      return [`${path}:${line} holds ${what}: ${found[0]}`];
    }),
  );
}

/** Every import of a file: static, re-export, dynamic, `import("x").T`, `require("x")`. */
export function importsOf(source: Source): Import[] {
  const found: Import[] = [];
  walk(programOf(source), (node) => {
    switch (node.type) {
      case "ImportDeclaration":
        // Only `import type` vanishes: `import { type X }` stays behind as a bare import, because
        // of verbatimModuleSyntax, and loads the module.
        found.push({ name: literal(node["source"]), kind: kindOf(node["importKind"]) });
        break;
      case "ExportNamedDeclaration":
      case "ExportAllDeclaration":
        if (node["source"]) {
          found.push({ name: literal(node["source"]), kind: kindOf(node["exportKind"]) });
        }
        break;
      case "ImportExpression":
        found.push({ name: literal(node["source"]), kind: "dynamic" });
        break;
      case "TSImportType":
        found.push({ name: literal(node["source"]), kind: "type" });
        break;
      case "CallExpression": {
        const callee = node["callee"];
        if (isNode(callee) && callee["name"] === "require") {
          const [first]: unknown[] = Array.isArray(node["arguments"]) ? node["arguments"] : [];
          found.push({ name: literal(first), kind: "value" });
        }
        break;
      }
      default:
    }
  });
  return found;
}

function usesConsole(source: Source): boolean {
  let used = importsOf(source).some(({ name }) => name === "console" || name === "node:console");
  walk(programOf(source), (node, parent) => {
    if (node.type !== "Identifier" || node["name"] !== "console") return;
    const isName =
      (parent?.["property"] === node || parent?.["key"] === node) && !parent["computed"];
    const owner = parent?.["object"];
    const isGlobal =
      isNode(owner) && (owner["name"] === "globalThis" || owner["name"] === "global");
    if (!isName || isGlobal) used = true;
  });
  return used;
}

interface Node {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** Every rule looks at every file, and parsing takes longer than looking. */
const parsed = new WeakMap<Source, Node>();

function programOf(source: Source): Node {
  const known = parsed.get(source) ?? parse(source);
  parsed.set(source, known);
  return known;
}

function parse({ path, text }: Source): Node {
  const { program, errors } = parseSync(path, text);
  if (errors[0]) throw new SyntaxError(`${path}: ${errors[0].message}`);
  if (!isNode(program)) throw new TypeError(`${path}: the parser gave no tree`);
  return program;
}

function walk(node: Node, visit: (node: Node, parent?: Node) => void, parent?: Node): void {
  visit(node, parent);
  for (const value of Object.values(node)) {
    for (const child of Array.isArray(value) ? (value as unknown[]) : [value]) {
      if (isNode(child)) walk(child, visit, node);
    }
  }
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && "type" in value;
}

function literal(node: unknown): string | undefined {
  return isNode(node) && typeof node["value"] === "string" ? node["value"] : undefined;
}

function kindOf(keyword: unknown): "type" | "value" {
  return keyword === "type" ? "type" : "value";
}

function packageOf(name: string): string {
  return name
    .split("/")
    .slice(0, name.startsWith("@") ? 2 : 1)
    .join("/");
}

function resolveFrom(path: string, name: string): string {
  return posix.join(posix.dirname(path), name);
}
