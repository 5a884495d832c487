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

/** The languages, each in a file of its own that is loaded when a text is written in it. */
const LANGUAGES: Readonly<Record<string, Load>> = {
  c: async () => (await clike()).c,
  clojure: async () => (await import("@codemirror/legacy-modes/mode/clojure")).clojure,
  cmake: async () => (await import("@codemirror/legacy-modes/mode/cmake")).cmake,
  cpp: async () => (await clike()).cpp,
  csharp: async () => (await clike()).csharp,
  css: async () => (await css()).css,
  dart: async () => (await clike()).dart,
  diff: async () => (await import("@codemirror/legacy-modes/mode/diff")).diff,
  dockerfile: async () => (await import("@codemirror/legacy-modes/mode/dockerfile")).dockerFile,
  erlang: async () => (await import("@codemirror/legacy-modes/mode/erlang")).erlang,
  fsharp: async () => (await mllike()).fSharp,
  go: async () => (await import("@codemirror/legacy-modes/mode/go")).go,
  groovy: async () => (await import("@codemirror/legacy-modes/mode/groovy")).groovy,
  haskell: async () => (await import("@codemirror/legacy-modes/mode/haskell")).haskell,
  html: async () => (await xml()).html,
  java: async () => (await clike()).java,
  javascript: async () => (await javascript()).javascript,
  json: async () => (await javascript()).json,
  julia: async () => (await import("@codemirror/legacy-modes/mode/julia")).julia,
  kotlin: async () => (await clike()).kotlin,
  less: async () => (await css()).less,
  lua: async () => (await import("@codemirror/legacy-modes/mode/lua")).lua,
  nginx: async () => (await import("@codemirror/legacy-modes/mode/nginx")).nginx,
  objectivec: async () => (await clike()).objectiveC,
  ocaml: async () => (await mllike()).oCaml,
  perl: async () => (await import("@codemirror/legacy-modes/mode/perl")).perl,
  powershell: async () => (await import("@codemirror/legacy-modes/mode/powershell")).powerShell,
  properties: async () => (await import("@codemirror/legacy-modes/mode/properties")).properties,
  protobuf: async () => (await import("@codemirror/legacy-modes/mode/protobuf")).protobuf,
  python: async () => (await import("@codemirror/legacy-modes/mode/python")).python,
  r: async () => (await import("@codemirror/legacy-modes/mode/r")).r,
  ruby: async () => (await import("@codemirror/legacy-modes/mode/ruby")).ruby,
  rust: async () => (await import("@codemirror/legacy-modes/mode/rust")).rust,
  scala: async () => (await clike()).scala,
  scss: async () => (await css()).sCSS,
  shell: async () => (await import("@codemirror/legacy-modes/mode/shell")).shell,
  sql: async () => (await import("@codemirror/legacy-modes/mode/sql")).standardSQL,
  swift: async () => (await import("@codemirror/legacy-modes/mode/swift")).swift,
  toml: async () => (await import("@codemirror/legacy-modes/mode/toml")).toml,
  typescript: async () => (await javascript()).typescript,
  xml: async () => (await xml()).xml,
  yaml: async () => (await import("@codemirror/legacy-modes/mode/yaml")).yaml,
};

/** Other names: those that people write after a fence, and the endings of files. */
const OTHER_NAMES = new Map(
  Object.entries({
    c: ["h"],
    clojure: ["clj"],
    cpp: ["c++", "cc", "cxx", "hpp"],
    csharp: ["c#", "cs"],
    diff: ["patch"],
    dockerfile: ["docker"],
    erlang: ["erl"],
    fsharp: ["fs"],
    go: ["golang"],
    groovy: ["gradle"],
    haskell: ["hs"],
    html: ["htm"],
    javascript: ["cjs", "js", "jsx", "mjs"],
    json: ["json5", "jsonc", "jsonl"],
    julia: ["jl"],
    kotlin: ["kt", "kts"],
    objectivec: ["m", "objc"],
    ocaml: ["ml"],
    perl: ["pl", "pm"],
    powershell: ["ps1", "pwsh"],
    properties: ["ini"],
    protobuf: ["proto"],
    python: ["py", "python3"],
    ruby: ["rb"],
    rust: ["rs"],
    scala: ["sbt"],
    shell: ["bash", "console", "ksh", "sh", "zsh"],
    typescript: ["cts", "mts", "ts", "tsx"],
    xml: ["svg"],
    yaml: ["yml"],
  }).flatMap(([language, names]) => names.map((name) => [name, language] as const)),
);

const loaded = new Map<string, LoadedSyntax>();

/** Loads the syntax of a language by one of its names. Resolves with undefined if it is not known. Never rejects. */
export async function loadSyntax(name: string): Promise<LoadedSyntax | undefined> {
  const language = nameOf(name);
  const known = loaded.get(language);
  if (known !== undefined || !Object.hasOwn(LANGUAGES, language)) return known;
  try {
    const parser = await LANGUAGES[language]?.();
    if (parser === undefined) return undefined;
    const syntax = { start: () => new SyntaxState(parser) };
    loaded.set(language, syntax);
    return syntax;
  } catch {
    return undefined;
  }
}

/** The syntax of a language that was loaded before. */
export function loadedSyntax(name: string): LoadedSyntax | undefined {
  return loaded.get(nameOf(name));
}

/** The name of the language of a file, by its name; it may be unknown. */
export function languageOfFile(path: string): string {
  const file = path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1);
  const ending = file.slice(file.lastIndexOf(".") + 1).toLowerCase();
  return file.toLowerCase() === "cmakelists.txt" ? "cmake" : ending;
}

function nameOf(name: string): string {
  return OTHER_NAMES.get(name) ?? name;
}
