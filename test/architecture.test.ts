import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import {
  againstTheArrows,
  againstTheCommandArrows,
  beyondTheClient,
  consoleInLibrary,
  exportedNames,
  forbiddenText,
  importCycles,
  importsOf,
  pastTheIndex,
  sharedTypeNames,
  missingFiles,
  strayTests,
  type Source,
  unusedArrows,
} from "./support/architecture.ts";

const root = new URL("../", import.meta.url);
const entry = "src/entries/dragoman.ts";

/** Tracked files, and new ones that git would take up. */
function projectFiles(): Source[] {
  const list = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
  return execFileSync("git", list, { cwd: root, encoding: "utf8" })
    .split("\0")
    .filter((path) => path !== "" && existsSync(new URL(path, root)))
    .map((path) => ({ path, text: readFileSync(new URL(path, root), "utf8") }));
}

const files = projectFiles();
const sources = files.filter(({ path }) => /^src\/.*\.ts$/.test(path));
const architecture = readFileSync(new URL("docs/architecture.md", root), "utf8");
const entries = sources.flatMap(({ path }) => /^src\/entries\/([\w-]+)\.ts$/.exec(path)?.[1] ?? []);

describe("the repository", () => {
  it("was found", () => {
    expect(sources.map(({ path }) => path)).toContain(entry);
  });
  it("imports along the arrows only", () => {
    expect(againstTheArrows(sources)).toEqual([]);
  });
  it("has no arrow that no import needs", () => {
    expect(unusedArrows(sources)).toEqual([]);
  });
  it("names only files that exist in the data flows of docs/architecture.md", () => {
    expect(missingFiles(architecture, sources)).toEqual([]);
  });
  it("keeps commands apart, and imports what they share one way", () => {
    expect(againstTheCommandArrows(sources)).toEqual([]);
  });
  it("imports other layers through their index only", () => {
    expect(pastTheIndex(sources)).toEqual([]);
  });
  it("has no files that import each other in a circle", () => {
    expect(importCycles(sources)).toEqual([]);
  });
  it("declares each exported type name in one layer only", () => {
    expect(sharedTypeNames(sources)).toEqual([]);
  });
  it("mirrors the folders of src in its tests", () => {
    expect(strayTests(files)).toEqual([]);
  });
  it("keeps console out of library files", () => {
    expect(consoleInLibrary(sources)).toEqual([]);
  });
  it("gives the main entry only what talking to an agent needs", () => {
    expect(beyondTheClient(entry, sources)).toEqual([]);
  });
  it.each(entries)("publishes the names that api/%s.api.d.ts lists, and no others", (name) => {
    const report = readFileSync(new URL(`api/${name}.api.d.ts`, root), "utf8");
    const declared =
      /^export (?:declare )?(?:abstract )?(?:class|const|function|interface|type) (\w+)/gm;
    const listed = new Set(Array.from(report.matchAll(declared), ([, found]) => found));
    expect(exportedNames(`src/entries/${name}.ts`, sources)).toEqual(listed);
  });
  it("names no machine's paths and no package registry", () => {
    expect(forbiddenText(files)).toEqual([]);
  });
});

/** One made-up file. */
function at(path: string, text: string): Source {
  return { path, text };
}

/** From a layer to `src`. */
function upFrom(layer: string): string {
  return layer.replaceAll(/[^/]+/g, "..");
}

describe("the arrows", () => {
  const crossing = (from: string, to: string): string[] =>
    againstTheArrows([at(`src/${from}/a.ts`, `import "${upFrom(from)}/${to}/b.ts";`)]);

  it.each([
    ["transport/rpc", "base"],
    ["protocol/schema", "base"],
    ["client", "protocol/schema"],
    ["client", "transport/rpc"],
    ["client/ai", "client"],
    ["client/rules", "base"],
    ["agent", "protocol/acp"],
    ["droid", "tools"],
    ["droid", "protocol/acp"],
    ["tools", "protocol/schema"],
    ["host/fleet", "base/git"],
    ["host/hub", "client/rules"],
    ["apps/demo-agent", "agent"],
    ["apps/droid-acp", "droid"],
    ["apps/cli", "client"],
    ["apps/bin", "apps/cli"],
    ["entries", "client"],
    ["base", "base"],
  ])("let %s import %s", (from, to) => {
    expect(crossing(from, to)).toEqual([]);
  });

  it.each([
    ["base", "base/git"],
    ["base", "transport/rpc"],
    ["base/markdown", "base"],
    ["protocol/schema", "transport/rpc"],
    ["transport/rpc", "protocol/acp"],
    ["protocol/acp", "client"],
    ["protocol/acp", "tools"],
    ["client", "agent"],
    ["client", "client/ai"],
    ["client", "client/rules"],
    ["client", "droid"],
    ["agent", "client"],
    ["agent", "tools"],
    ["agent", "protocol/schema"],
    ["droid", "client"],
    ["tools", "protocol/acp"],
    ["trace", "protocol/translator"],
    ["conformance", "conformance/check"],
    ["host/hub", "host/fleet"],
    ["apps/demo-agent", "client"],
    ["apps/droid-acp", "client"],
    ["apps/cli", "droid"],
    ["apps/cli", "apps/bin"],
    ["apps/cli", "entries"],
  ])("do not let %s import %s", (from, to) => {
    expect(crossing(from, to)).toHaveLength(1);
  });

  it.each([
    'import type { X } from "../rpc/x.ts";',
    'export * from "../rpc/x.ts";',
    'export type { X } from "../rpc/x.ts";',
    'export const f = async () => await import("../rpc/x.ts");',
    'export type X = import("../rpc/x.ts").X;',
    'import "../deep/../rpc/x.ts";',
    'import "../../test/support/x.ts";',
    'import "dragoman/wire";',
  ])("see %s", (text) => {
    expect(againstTheArrows([at("src/transport/wire/a.ts", text)])).toHaveLength(1);
  });

  it("know every folder of src", () => {
    const strays = [at("src/util/a.ts", ""), at("src/a.ts", "")];
    expect(againstTheArrows(strays)).toHaveLength(2);
  });

  it("are not deceived by comments and strings", () => {
    const text = '// import "../rpc/x.ts"\nexport const s = \'import "../rpc/x.ts"\';';
    expect(againstTheArrows([at("src/transport/wire/a.ts", text)])).toEqual([]);
  });
});

describe("the index rule", () => {
  it.each(['import "../transport/rpc/index.ts";', 'import "./b.ts";', 'import "./process/b.ts";'])(
    "passes %s",
    (text) => {
      expect(pastTheIndex([at("src/client/a.ts", text)])).toEqual([]);
    },
  );
  it.each([
    'import "../transport/rpc/peer.ts";',
    'import type { X } from "../protocol/acp/parse/index.ts";',
    'export const later = async () => await import("../transport/rpc/peer.ts");',
  ])("refuses %s", (text) => {
    expect(pastTheIndex([at("src/client/a.ts", text)])).toHaveLength(1);
  });
  it("lets only entries export a layer's public list", () => {
    const text =
      'export * from "../transport/rpc/public.ts"; export * from "../protocol/acp/public-agent.ts";';
    expect(pastTheIndex([at("src/entries/a.ts", text)])).toEqual([]);
    expect(pastTheIndex([at("src/client/a.ts", text)])).toHaveLength(2);
  });
});

describe("the cycle rule", () => {
  it("finds a circle of type-only imports", () => {
    const circle = [
      at("src/transport/wire/a.ts", 'import type { B } from "./b.ts";'),
      at("src/transport/wire/b.ts", 'import type { C } from "./deep/c.ts";'),
      at("src/transport/wire/deep/c.ts", 'import type { A } from "../a.ts";'),
    ];
    expect(importCycles(circle)).toEqual([
      "src/transport/wire/a.ts -> src/transport/wire/b.ts -> src/transport/wire/deep/c.ts -> src/transport/wire/a.ts",
    ]);
  });
  it("passes two files that share a third", () => {
    const shared = [
      at("src/transport/wire/a.ts", 'import "./c.ts"; import "./b.ts";'),
      at("src/transport/wire/b.ts", 'import "./c.ts";'),
      at("src/transport/wire/c.ts", ""),
    ];
    expect(importCycles(shared)).toEqual([]);
  });
});

describe("the mirror rule", () => {
  const stray = (path: string): string[] =>
    strayTests([at("src/transport/wire/lines/reader.ts", ""), at(path, "")]);

  it.each([
    "test/transport/wire/lines/reader.test.ts",
    "test/transport/wire/lines/anything.test.ts",
    "test/transport/wire/lines.test.ts",
    "test/transport/wire/words/helper.ts",
    "test/interop/agent.test.ts",
  ])("passes %s", (path) => {
    expect(stray(path)).toEqual([]);
  });
  it.each([
    "test/transport/wire/words/reader.test.ts",
    "test/transport/wire/lines/deep/reader.test.ts",
  ])("refuses %s", (path) => {
    expect(stray(path)).toHaveLength(1);
  });
});

describe("the arrows between folders of the command line", () => {
  const found = (path: string, name: string) =>
    againstTheCommandArrows([at(`src/apps/cli/${path}`, `import "${name}";`)]);

  it.each([
    ["render/text/a.ts", "../../shell/io.ts"],
    ["session/a.ts", "../shell/io.ts"],
    ["session/a.ts", "./b.ts"],
    ["session/a.ts", "../../../base/index.ts"],
    ["commands/chat/a.ts", "../../session/b.ts"],
    ["commands/chat/a.ts", "./deep/b.ts"],
    ["commands/a.ts", "./chat/b.ts"],
    ["main.ts", "./commands/chat/b.ts"],
  ])("let %s import %s", (path, name) => {
    expect(found(path, name)).toEqual([]);
  });

  it.each([
    ["shell/a.ts", "../render/renderer.ts"],
    ["context/a.ts", "../session/b.ts"],
    ["session/a.ts", "../commands/chat/b.ts"],
    ["commands/chat/a.ts", "../check/b.ts"],
    ["commands/chat/deep/a.ts", "../../check/b.ts"],
    ["commands/chat/a.ts", "../grammar.ts"],
    ["commands/a.ts", "../main.ts"],
    ["session/a.ts", "../main.ts"],
    ["anything/a.ts", "./b.ts"],
  ])("do not let %s import %s", (path, name) => {
    expect(found(path, name)).toHaveLength(1);
  });

  it.each([
    'import type { X } from "../check/b.ts";',
    'export { X } from "../check/b.ts";',
    'export const later = async () => await import("../check/b.ts");',
  ])("see %s", (text) => {
    expect(againstTheCommandArrows([at("src/apps/cli/commands/chat/a.ts", text)])).toHaveLength(1);
  });

  it("do not look at other layers", () => {
    expect(
      againstTheCommandArrows([at("src/client/a.ts", 'import "../apps/cli/main.ts";')]),
    ).toEqual([]);
  });
});

describe("the name rule", () => {
  it.each([
    ["export interface X {}", "export type X = 1;"],
    ["export class X {}", 'export type { X } from "@agentclientprotocol/sdk";'],
    ["export abstract class X {}", 'export type { Y as X } from "@agentclientprotocol/sdk";'],
  ])("finds %s next to %s", (one, other) => {
    expect(
      sharedTypeNames([at("src/transport/wire/a.ts", one), at("src/droid/a.ts", other)]),
    ).toEqual(["X is declared in transport/wire and droid"]);
  });
  it.each([
    ["export interface X {}", "interface X {}"],
    ["export interface X {}", 'export type { X } from "./b.ts";'],
    ["export interface X {}", "export const X = 1;"],
  ])("passes %s next to %s", (one, other) => {
    expect(
      sharedTypeNames([at("src/transport/wire/a.ts", one), at("src/droid/a.ts", other)]),
    ).toEqual([]);
  });
});

describe("the console rule", () => {
  it.each([
    'console.log("x");',
    "export const log = console.error;",
    'globalThis.console.warn("x");',
    'console["log"]("x");',
    "const { log } = console; log();",
    'import { log } from "node:console"; log();',
  ])("finds %s", (text) => {
    expect(consoleInLibrary([at("src/apps/droid-acp/a.ts", text)])).toHaveLength(1);
  });
  it.each([
    "// console.log",
    'export const s = "console.log";',
    "export const o = { console: 1 };",
  ])("passes %s", (text) => {
    expect(consoleInLibrary([at("src/transport/wire/a.ts", text)])).toEqual([]);
  });
  it.each(["src/apps/cli/a.ts", "src/apps/bin/a.ts"])("leaves %s alone", (path) => {
    expect(consoleInLibrary([at(path, 'console.log("x");')])).toEqual([]);
  });
});

describe("the entry rule", () => {
  const reached = (text: string): string[] =>
    beyondTheClient(entry, [
      at(entry, 'export * from "../client/session.ts";'),
      at("src/client/session.ts", text),
      at("src/transport/wire/spawn.ts", 'import { spawn } from "node:child_process"; void spawn;'),
      at("src/droid/a.ts", ""),
      at("src/apps/bin/a.ts", ""),
    ]);

  it.each([
    'import { x } from "../transport/wire/spawn.ts"; void x;',
    'import type { SessionId } from "@agentclientprotocol/sdk";',
    'export const spawn = async () => await import("cross-spawn");',
    'import path from "node:path"; void path;',
  ])("passes %s", (text) => {
    expect(reached(text)).toEqual([]);
  });

  it.each([
    'import "../droid/a.ts";',
    'import type { X } from "../droid/a.ts";',
    'export const later = async () => await import("../apps/bin/a.ts");',
    'import spawn from "cross-spawn"; spawn("x");',
    'import { AGENT_METHODS } from "@agentclientprotocol/sdk"; void AGENT_METHODS;',
    'import { type SessionId } from "@agentclientprotocol/sdk";',
    'export * from "@agentclientprotocol/sdk";',
    'import { z } from "zod"; void z;',
    'export const z = async () => await import("zod");',
    "export const load = async (name: string) => await import(name);",
    'import { createRequire } from "node:module"; const require = createRequire(""); require("zod");',
    'import "../transport/wire/gone.ts";',
  ])("refuses %s", (text) => {
    expect(reached(text)).toHaveLength(1);
  });
});

describe("the other rules", () => {
  // Put together here, because this file is searched as well.
  const slash = "/";
  const host = ["registry", "npmjs", "org"].join(".");
  it.each([
    `see ${slash}work${slash}main`,
    `"${slash}root${slash}.npmrc"`,
    `https://${host}/x/-/x-1.0.0.tgz`,
    `npmrc: ${host}`,
    `https://${["npm", "example", "com"].join(".")}/x`,
    ['"resolved"', '"https://example.com/x.tgz"'].join(": "),
  ])("find %s", (text) => {
    expect(forbiddenText([at("README.md", text)])).not.toEqual([]);
  });
  it.each([
    "docs/work/x",
    "https://example.com/root/x",
    `~${slash}work${slash}x`,
    "the registry of agents",
    "/tmp/x",
  ])("pass %s", (text) => {
    expect(forbiddenText([at("README.md", text)])).toEqual([]);
  });

  it("fail on a file that does not parse, rather than pass it", () => {
    expect(() => importsOf(at("src/transport/wire/a.ts", "import {"))).toThrow(
      "src/transport/wire/a.ts",
    );
  });
});
