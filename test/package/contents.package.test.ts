import { cp, mkdtemp, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  entries,
  manifest,
  modules,
  node,
  root,
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
      /^(?:package\.json|LICENSE|dist\/(?:THIRD-PARTY-LICENSES\.txt|sbom\.cdx\.json))$/,
      /^(?:README|CHANGELOG|CONTRIBUTING|SECURITY)\.md$/,
      /^man\/dragoman\.1$/,
      // The README leads to these.
      /^docs\/(?:api\/)?[\w/-]+\.(?:md|png|svg)$/,
      /^examples\/[\w-]+\.(?:ts|cjs|html)$/,
      /^examples\/recordings\/[\w.-]+\.(?:jsonl|md)$/,
      /^registry\/droid-acp\/(?:agent\.json|icon\.svg)$/,
      /^dist\/(?:dragoman|agent|ai|droid|fleet|fleet-engine|hub|protocol|tools|unstable|wire)\.(?:js(?:\.map)?|d\.ts)$/,
      /^dist\/chunks\/[\w.-]+\.(?:js(?:\.map)?|d\.ts)$/,
      /^dist\/cjs\/(?:dragoman|agent|ai|droid|fleet|fleet-engine|hub|protocol|tools|unstable|wire|chunks\/[\w.-]+)\.(?:cjs|d\.cts)$/,
      /^dist\/browser\/(?:dragoman|agent|ai|protocol|tools|unstable|wire|chunks\/[\w.-]+)\.js(?:\.map)?$/,
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
    const result = await node([attw, packed.tarball, "--profile", "strict"], packed.scratch);
    expect(result.code, result.output).toBe(0);
    expect(result.output).toContain("🟢 (ESM)");
    expect(result.output).toContain("🟢 (CJS)");
  });

  it("can be published by a build server that vouches for it", () => {
    expect(manifest.publishConfig).toEqual({ access: "public", provenance: true });
  });
});

describe("the bill of materials", () => {
  it("lists every package that the licenses list, as the lock file has it", async () => {
    const read = (path: string): Promise<string> =>
      readFile(join(packed.home, "dist", path), "utf8");
    const bill = JSON.parse(await read("sbom.cdx.json")) as unknown;
    const lock = JSON.parse(await readFile(join(root, "package-lock.json"), "utf8")) as {
      packages: Record<string, { version: string; integrity: string }>;
    };
    const listed = [
      ...(await read("THIRD-PARTY-LICENSES.txt")).matchAll(/^-{80}\n\n(\S+) (\S+) \((\S+)\)$/gm),
    ];
    expect(listed.length).toBeGreaterThan(10);
    const purl = (name: string, version: string): string =>
      `pkg:npm/${name.replace("@", "%40")}@${version}`;
    const own = purl("dragoman", manifest.version);
    expect(bill).toMatchObject({
      bomFormat: "CycloneDX",
      specVersion: "1.6",
      version: 1,
      metadata: { component: { type: "library", "bom-ref": own, purl: own } },
      components: listed.map(([, name = "", version = "", id]) => {
        const { integrity } = lock.packages[`node_modules/${name}`] ?? { integrity: "" };
        const content = Buffer.from(integrity.replace("sha512-", ""), "base64").toString("hex");
        return {
          type: "library",
          "bom-ref": purl(name, version),
          name: name.split("/").at(-1),
          version,
          purl: purl(name, version),
          licenses: [{ license: { id } }],
          hashes: [{ alg: "SHA-512", content }],
        };
      }),
    });
    expect(lock.packages["node_modules/ws"]?.version).toBe(
      listed.find(([, name]) => name === "ws")?.[2],
    );
    // Each package is used by Dragoman or by another one of them.
    const { dependencies } = bill as { dependencies: { ref: string; dependsOn: string[] }[] };
    const all = listed.map(([, name = "", version = ""]) => purl(name, version));
    expect(dependencies.map(({ ref }) => ref)).toEqual([own, ...all]);
    const used = new Set(dependencies.flatMap(({ dependsOn }) => dependsOn));
    expect([...used].toSorted()).toEqual(all.toSorted());
  });
});

describe("the source maps", () => {
  it("name the sources, without their text and without the machine of the build", async () => {
    const maps = packed.shipped.filter((path) => path.endsWith(".map"));
    const sources = await Promise.all(
      maps.map(async (path) => {
        const map = JSON.parse(await readFile(join(packed.home, path), "utf8")) as {
          sources: string[];
          sourcesContent?: string[];
        };
        expect(map.sourcesContent).toBeUndefined();
        return map.sources.map((source) => join(dirname(path), source).replaceAll("\\", "/"));
      }),
    );
    const inProject = /^(?:src|node_modules)\/|^builtin:/;
    expect(sources.flat().filter((path) => !inProject.test(path))).toEqual([]);
    expect(sources.flat()).toContain("src/client/client.ts");
  });

  it("make stack traces name the sources", async () => {
    const program = `
      import { AcpClient } from "dragoman";
      AcpClient.start({ command: "./missing" }).catch(({ stack }) => console.log(stack));`;
    const file = join(packed.consumer, "trace.js");
    await writeFile(file, program);
    const { output } = await node(["--enable-source-maps", file], packed.consumer);
    const files = [...output.matchAll(/(src\/\S+\.ts):\d+:\d+/g)].map((match) => match[1] ?? "");
    expect(files).toContain("src/client/start.ts");
    expect(output).not.toContain("dist/");
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
