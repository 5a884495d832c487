import type { StreamParser } from "@codemirror/streamparser";
import { SyntaxState } from "./highlight.ts";

export interface LoadedSyntax {
  start(): SyntaxState;
}

type Load = () => Promise<StreamParser<unknown>>;

const javascript = () => import("@codemirror/legacy-modes/mode/javascript");
const clike = () => import("@codemirror/legacy-modes/mode/clike");
const css = () => import("@codemirror/legacy-modes/mode/css");
const xml = () => import("@codemirror/legacy-modes/mode/xml");
const mllike = () => import("@codemirror/legacy-modes/mode/mllike");

/** The languages by their names, the endings of their files among them. Each is loaded when a text needs it. */
const LANGUAGES: Readonly<Record<string, Load>> = {
  "c h": async () => (await clike()).c,
  "clojure clj": async () => (await import("@codemirror/legacy-modes/mode/clojure")).clojure,
  cmake: async () => (await import("@codemirror/legacy-modes/mode/cmake")).cmake,
  "cpp c++ cc cxx hpp": async () => (await clike()).cpp,
  "csharp c# cs": async () => (await clike()).csharp,
  css: async () => (await css()).css,
  dart: async () => (await clike()).dart,
  "diff patch": async () => (await import("@codemirror/legacy-modes/mode/diff")).diff,
  "dockerfile docker": async () =>
    (await import("@codemirror/legacy-modes/mode/dockerfile")).dockerFile,
  "erlang erl": async () => (await import("@codemirror/legacy-modes/mode/erlang")).erlang,
  "fsharp fs": async () => (await mllike()).fSharp,
  "go golang": async () => (await import("@codemirror/legacy-modes/mode/go")).go,
  "groovy gradle": async () => (await import("@codemirror/legacy-modes/mode/groovy")).groovy,
  "haskell hs": async () => (await import("@codemirror/legacy-modes/mode/haskell")).haskell,
  "html htm": async () => (await xml()).html,
  java: async () => (await clike()).java,
  "javascript cjs js jsx mjs": async () => (await javascript()).javascript,
  "json json5 jsonc jsonl": async () => (await javascript()).json,
  "julia jl": async () => (await import("@codemirror/legacy-modes/mode/julia")).julia,
  "kotlin kt kts": async () => (await clike()).kotlin,
  less: async () => (await css()).less,
  lua: async () => (await import("@codemirror/legacy-modes/mode/lua")).lua,
  nginx: async () => (await import("@codemirror/legacy-modes/mode/nginx")).nginx,
  "objectivec m objc": async () => (await clike()).objectiveC,
  "ocaml ml": async () => (await mllike()).oCaml,
  "perl pl pm": async () => (await import("@codemirror/legacy-modes/mode/perl")).perl,
  "powershell ps1 pwsh": async () =>
    (await import("@codemirror/legacy-modes/mode/powershell")).powerShell,
  "properties ini": async () =>
    (await import("@codemirror/legacy-modes/mode/properties")).properties,
  "protobuf proto": async () => (await import("@codemirror/legacy-modes/mode/protobuf")).protobuf,
  "python py python3": async () => (await import("@codemirror/legacy-modes/mode/python")).python,
  r: async () => (await import("@codemirror/legacy-modes/mode/r")).r,
  "ruby rb": async () => (await import("@codemirror/legacy-modes/mode/ruby")).ruby,
  "rust rs": async () => (await import("@codemirror/legacy-modes/mode/rust")).rust,
  "scala sbt": async () => (await clike()).scala,
  scss: async () => (await css()).sCSS,
  "shell bash console ksh sh zsh": async () =>
    (await import("@codemirror/legacy-modes/mode/shell")).shell,
  sql: async () => (await import("@codemirror/legacy-modes/mode/sql")).standardSQL,
  swift: async () => (await import("@codemirror/legacy-modes/mode/swift")).swift,
  toml: async () => (await import("@codemirror/legacy-modes/mode/toml")).toml,
  "typescript cts mts ts tsx": async () => (await javascript()).typescript,
  "xml svg": async () => (await xml()).xml,
  "yaml yml": async () => (await import("@codemirror/legacy-modes/mode/yaml")).yaml,
};

const LOADERS = new Map(
  Object.entries(LANGUAGES).flatMap(([names, load]) =>
    names.split(" ").map((name) => [name, load] as const),
  ),
);

const loaded = new Map<Load, LoadedSyntax>();

/** Loads the syntax of a language by one of its names. Resolves with undefined if it is not known. Never rejects. */
export async function loadSyntax(name: string): Promise<LoadedSyntax | undefined> {
  const load = LOADERS.get(name);
  const known = loadedSyntax(name);
  if (known !== undefined || load === undefined) return known;
  try {
    const parser = await load();
    const syntax = { start: () => new SyntaxState(parser) };
    loaded.set(load, syntax);
    return syntax;
  } catch {
    return undefined;
  }
}

/** The syntax of a language that was loaded before. */
export function loadedSyntax(name: string): LoadedSyntax | undefined {
  const load = LOADERS.get(name);
  return load && loaded.get(load);
}

/** The name of the language of a file, by its name; it may be unknown. */
export function languageOfFile(path: string): string {
  const file = path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1);
  const ending = file.slice(file.lastIndexOf(".") + 1).toLowerCase();
  return file.toLowerCase() === "cmakelists.txt" ? "cmake" : ending;
}
