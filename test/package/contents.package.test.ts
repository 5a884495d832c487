import { cp, mkdtemp, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  entries,
  manifest,
  modules,
  node,
  unpackTarball,
  type Packed,
} from "../support/package.ts";

let packed: Packed;

beforeAll(async () => {
  packed = await unpackTarball();
});

afterAll(() => packed.remove());

describe("the tarball", () => {
  it("holds only what users need", () => {
    const expected = [
      /^(?:package\.json|LICENSE|dist\/THIRD-PARTY-LICENSES\.txt)$/,
      /^(?:README|CHANGELOG|CONTRIBUTING|SECURITY)\.md$/,
      /^man\/dragoman\.1$/,
      // The README leads to these.
      /^docs\/(?:api\/)?[\w/-]+\.(?:md|png|svg)$/,
      /^examples\/[\w-]+\.m?[jt]s$/,
      /^examples\/recordings\/[\w.-]+\.(?:jsonl|md)$/,
      /^registry\/droid-acp\/(?:agent\.json|icon\.svg)$/,
      /^dist\/(?:dragoman|agent|ai|droid|fleet|hub|remote|tools|v2|wire)\.(?:js|d\.ts)$/,
      /^dist\/chunks\/[\w.-]+\.(?:js|d\.ts)$/,
      /^dist\/browser\/(?:dragoman|agent|ai|tools|v2|wire|chunks\/[\w.-]+)\.js$/,
      /^dist\/inspect\/page\.html$/,
      /^dist\/bin\/(?:dragoman|droid-acp)(?:\/[\w.-]+)?\.js$/,
    ];
    expect(
      packed.shipped.filter((path) => !expected.some((pattern) => pattern.test(path))),
    ).toEqual([]);
    expect(packed.shipped).toEqual(
      expect.arrayContaining([
        "package.json",
        "README.md",
        "LICENSE",
        "man/dragoman.1",
        "dist/dragoman.d.ts",
        "docs/api/README.md",
      ]),
    );
    // npm runs it before it packs. The set-up of these tests packs without npm's scripts.
    expect(manifest.scripts["prepack"]).toBe("node scripts/docs.mjs api");
  });

  it("has no dependencies, and needs peers only where they are used", () => {
    expect(manifest.dependencies).toBeUndefined();
    const peers = Object.keys(manifest.peerDependencies ?? {});
    expect(peers).toEqual([
      "@ai-sdk/provider",
      "@nats-io/jetstream",
      "@nats-io/kv",
      "@nats-io/transport-node",
      "@opentelemetry/api",
    ]);
    for (const name of peers) {
      expect(manifest.peerDependenciesMeta?.[name]).toEqual({ optional: true });
    }
  });

  it("passes publint", async () => {
    const result = await node(
      [join(modules, "publint/src/cli.js"), "--strict", packed.tarball],
      packed.scratch,
    );
    expect(result.output).toContain("All good!");
    expect(result.code).toBe(0);
  });

  it("has types that resolve wherever its code does", async () => {
    const attw = join(modules, "@arethetypeswrong/cli/dist/index.js");
    const result = await node([attw, packed.tarball, "--profile", "esm-only"], packed.scratch);
    expect(result.code, result.output).toBe(0);
    expect(result.output).toContain("🟢 (ESM)");
  });
});

describe("a project with nothing but the tarball", () => {
  it("loads every entry", async () => {
    const code = entries.map((entry) => `await import("${entry}");`).join("\n");
    await writeFile(join(packed.consumer, "load.js"), code);
    expect(await node([join(packed.consumer, "load.js")], packed.consumer)).toEqual({
      code: 0,
      output: "",
    });
  });

  it.each(Object.entries(manifest.bin))("runs %s --version from one file", async (_name, file) => {
    // The file is alone in its folder, so that the output depends on nothing else.
    const folder = await mkdtemp(join(packed.scratch, "bin-"));
    await cp(join(packed.home, file), join(folder, "bin.mjs"));
    expect(await node([join(folder, "bin.mjs"), "--version"], folder)).toEqual({
      code: 0,
      output: `${manifest.version}\n`,
    });
  });
});

describe("the commands of a fleet", () => {
  const nats = ["--nats", "nats://127.0.0.1:1"];
  it.each([
    ["fleet", "status", ...nats],
    ["worker", ...nats, "-a", "demo"],
    ["gateway", ...nats],
    ["jobs", "list", ...nats],
    ["inspect", ...nats, "session"],
  ])("exit with 2 and the line that installs the packages of NATS: %s", async (...words) => {
    const bin = join(packed.home, manifest.bin["dragoman"] ?? "");
    const { code, output } = await node([bin, ...words], packed.consumer);
    expect(code).toBe(2);
    expect(output).toContain(
      "npm install @nats-io/transport-node@3 @nats-io/jetstream@3 @nats-io/kv@3",
    );
  });
});
