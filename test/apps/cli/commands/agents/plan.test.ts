import { describe, expect, it } from "vitest";
import { CATALOGUE } from "../../../../../src/apps/cli/agents/catalogue.ts";
import {
  catalogueInstall,
  isSafeDownload,
  registryInstall,
  registryPlatform,
} from "../../../../../src/apps/cli/commands/agents/install-plan.ts";
import { installCommands } from "../../../../../src/apps/cli/commands/agents/install.ts";

const query = {
  name: "a",
  registry: "r.json",
  platform: "linux-x86_64",
  sha256: undefined,
};
const HASH = "a".repeat(64);
const plan = (distribution: unknown, fields: object = {}) =>
  registryInstall(
    { agents: [{ id: "a", name: "A", version: "1.0.0", distribution, ...fields }] },
    query,
  );
const binary = (target: object) => ({
  binary: {
    "linux-x86_64": { archive: "https://h/a.zip", cmd: "./a", sha256: HASH, ...target },
  },
});

describe("an agent of a registry", () => {
  it.each([
    [{ npx: { package: "@s/p@1.0.0" } }, { kind: "npm", package: "@s/p", integrity: undefined }],
    [{ npx: { package: "p", cmd: "x" } }, { kind: "npm", package: "p", program: "x" }],
    [{ uvx: { package: "p==1.0.0" } }, { kind: "uv", package: "p", program: "p" }],
    [binary({}), { kind: "archive", url: "https://h/a.zip", sha256: HASH, program: "./a" }],
    [binary({ sha256: HASH.toUpperCase() }), { kind: "archive", sha256: HASH }],
  ])("is installed from %j", (distribution, source) => {
    expect(plan(distribution)).toMatchObject({ version: "1.0.0", source });
  });

  it.each([
    [{ npx: {} }, "has no package"],
    [{ npx: { package: "--prefix=/" } }, "has an invalid package name"],
    [{ npx: { package: "p@1.0.0 --script" } }, "is version 1.0.0, but its package is another one"],
    [{ npx: { package: "p@2.0.0" } }, "is version 1.0.0, but its package is another one"],
    [{ npx: { package: "p@latest" } }, "is version 1.0.0, but its package is another one"],
    [{ npx: { package: "https://h/p.tgz" } }, "has an invalid package name"],
    [{ npx: { package: "p", cmd: "../x" } }, "has an invalid cmd"],
    [{ npx: { package: "p", args: [1] } }, "has invalid args or env"],
    [{ npx: { package: "p", env: { A: 1 } } }, "has invalid args or env"],
    [{ uvx: { package: "p>=1" } }, "has an invalid package name"],
    [binary({ cmd: "../../bin/sh" }), "has an invalid cmd"],
    [binary({ cmd: "/bin/sh" }), "has an invalid cmd"],
    [binary({ archive: "http://h/a.zip" }), "has an archive that is not at an https address"],
    [binary({ archive: "file:///a.zip" }), "has an archive that is not at an https address"],
    [binary({ sha256: "abc" }), "has an invalid sha256"],
    [{ binary: { "darwin-aarch64": {} } }, "is not available for linux-x86_64"],
    [{}, "is not available for linux-x86_64"],
  ])("of %j is refused", (distribution, message) => {
    expect(() => plan(distribution)).toThrow(`r.json: a ${message}`);
  });

  it("must have a version to pin", () => {
    expect(() => plan({ npx: { package: "p" } }, { version: "latest" })).toThrow(
      "no valid version",
    );
  });

  it("is suggested if its name was mistyped", () => {
    const registry = { agents: [{ id: "tester" }] };
    expect(() => registryInstall(registry, { ...query, name: "testr" })).toThrow(
      'r.json has no agent "testr"',
    );
    expect(() => registryInstall([], query)).toThrow("r.json is not an agent registry");
  });

  it("cannot have another hash than the user expects", () => {
    const registry = {
      agents: [{ id: "a", name: "A", version: "1.0.0", distribution: binary({}) }],
    };
    const sha256 = "b".repeat(64);
    expect(() => registryInstall(registry, { ...query, sha256 })).toThrow("another sha256");
  });
});

it("an agent of the catalogue with a package is pinned to the tried version and its hash", () => {
  const pinned = CATALOGUE.filter(({ npm }) => npm !== undefined);
  expect(pinned.length).toBeGreaterThan(5);
  for (const { name, tried, npm, install } of pinned) {
    expect(catalogueInstall(name)).toMatchObject({ version: tried, source: npm });
    expect(npm?.integrity).toMatch(/^sha512-[\w+/]{86}==$/);
    expect(install).toContain(npm?.package);
  }
});

it("the file that a package needs to run once is part of the plan, after the install", () => {
  const plan = catalogueInstall("opencode");
  expect(installCommands(plan, "/f").map(({ command, args }) => [command, args.at(-1)])).toEqual([
    ["npm", "opencode-ai@1.18.33"],
    ["node", "/f/node_modules/opencode-ai/postinstall.mjs"],
  ]);
});

it.each([
  ["https://h/x", true],
  ["http://127.0.0.1:8/x", true],
  ["http://localhost/x", true],
  ["http://[::1]/x", true],
  ["http://h/x", false],
  ["ftp://h/x", false],
  ["x", false],
])("a file may be loaded from %s: %s", (url, is) => {
  expect(isSafeDownload(url)).toBe(is);
});

it.each([
  ["linux", "x64", "linux-x86_64"],
  ["darwin", "arm64", "darwin-aarch64"],
  ["win32", "x64", "windows-x86_64"],
  ["freebsd", "x64", undefined],
  ["linux", "riscv64", undefined],
] as const)("the registry calls %s on %s %s", (platform, arch, name) => {
  expect(registryPlatform(platform, arch)).toBe(name);
});
