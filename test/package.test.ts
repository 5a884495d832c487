// The package as users get it: the tarball, unpacked into a project that has nothing else.
import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const run = promisify(execFile);
const root = fileURLToPath(new URL("../", import.meta.url));
const modules = join(root, "node_modules");
const tsc = join(modules, "typescript/bin/tsc");

const manifest = JSON.parse(await readFile(join(root, "package.json"), "utf8")) as {
  version: string;
  exports: Record<string, unknown>;
  bin: Record<string, string>;
  dependencies?: unknown;
};

interface Result {
  readonly code: number;
  readonly output: string;
}

/** Runs a JavaScript file with this Node. A failure is a result, not an exception. */
async function node(args: readonly string[], cwd: string): Promise<Result> {
  try {
    const { stdout, stderr } = await run(process.execPath, args, { cwd });
    return { code: 0, output: stdout + stderr };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    return { code, output: stdout + stderr };
  }
}

let scratch: string;
let tarball: string;
let shipped: string[];
/** A project whose node_modules holds the unpacked tarball and nothing else. */
let consumer: string;

beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), "dragoman-package-"));
  // Build and pack a copy, so that an existing dist/ has no influence.
  const stage = join(scratch, "stage");
  await mkdir(stage);
  await Promise.all(
    ["package.json", "README.md", "LICENSE", "man"].map((file) =>
      cp(join(root, file), join(stage, file), { recursive: true }),
    ),
  );
  const built = await node([join(root, "scripts/build.mjs"), "--out", join(stage, "dist")], root);
  expect(built).toEqual({ code: 0, output: "" });

  const args = ["pack", "--json", "--ignore-scripts", "--pack-destination", scratch];
  const { stdout } = await run("npm", args, { cwd: stage, shell: process.platform === "win32" });
  const [packed] = JSON.parse(stdout) as [{ filename: string; files: { path: string }[] }];
  tarball = join(scratch, packed.filename);
  shipped = packed.files.map(({ path }) => path);

  consumer = join(scratch, "consumer");
  const home = join(consumer, "node_modules/dragoman");
  await mkdir(home, { recursive: true });
  await run("tar", ["-xzf", tarball, "-C", home, "--strip-components=1"]);
  await writeFile(join(consumer, "package.json"), '{ "type": "module" }\n');
}, 60_000);

afterAll(async () => {
  await rm(scratch, { recursive: true, force: true });
});

describe("the tarball", () => {
  it("holds only what users need", () => {
    const expected = [
      /^(?:package\.json|README\.md|LICENSE|dist\/THIRD-PARTY-LICENSES\.txt)$/,
      /^man\/dragoman\.1$/,
      /^dist\/(?:dragoman|agent|droid|wire)\.(?:js|d\.ts)$/,
      /^dist\/chunks\/[\w.-]+\.(?:js|d\.ts)$/,
      /^dist\/bin\/(?:dragoman|droid-acp)(?:\/[\w.-]+)?\.js$/,
    ];
    expect(shipped.filter((path) => !expected.some((pattern) => pattern.test(path)))).toEqual([]);
    expect(shipped).toEqual(
      expect.arrayContaining([
        "package.json",
        "README.md",
        "LICENSE",
        "man/dragoman.1",
        "dist/dragoman.d.ts",
      ]),
    );
  });

  it("has no dependencies", () => {
    expect(manifest.dependencies).toBeUndefined();
  });

  it("passes publint", async () => {
    const result = await node([join(modules, "publint/src/cli.js"), "--strict", tarball], scratch);
    expect(result.output).toContain("All good!");
    expect(result.code).toBe(0);
  });

  it("has types that resolve wherever its code does", async () => {
    const attw = join(modules, "@arethetypeswrong/cli/dist/index.js");
    const result = await node([attw, tarball, "--profile", "esm-only"], scratch);
    expect(result.code, result.output).toBe(0);
    expect(result.output).toContain("🟢 (ESM)");
  });
});

describe("a project with nothing but the tarball", () => {
  const entries = Object.keys(manifest.exports)
    .filter((entry) => entry !== "./package.json")
    .map((entry) => entry.replace(/^\./, "dragoman"));

  /** Type-checks one file in the consumer, including the declarations of the package. */
  async function check(name: string, code: string, options: object): Promise<Result> {
    const folder = join(consumer, name);
    const compilerOptions = {
      module: "NodeNext",
      target: "ES2022",
      strict: true,
      exactOptionalPropertyTypes: true,
      noEmit: true,
      skipLibCheck: false,
      types: [],
      ...options,
    };
    await mkdir(folder);
    await writeFile(join(folder, "index.ts"), code);
    await writeFile(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions }));
    return await node([tsc, "-p", folder], consumer);
  }

  const everyEntry = entries
    .map((entry, index) => `import * as entry${index} from "${entry}";\nvoid entry${index};\n`)
    .join("");

  it("compiles against every entry", async () => {
    expect(await check("browser-lib", everyEntry, {})).toEqual({ code: 0, output: "" });
  });

  it("compiles with Node's types in place of the browser's", async () => {
    const types = join(consumer, "with-node-types");
    await mkdir(types);
    await symlink(join(modules, "@types/node"), join(types, "node"), "junction");
    const options = { lib: ["ES2022"], typeRoots: [types], types: ["node"] };
    expect(await check("node-lib", everyEntry, options)).toEqual({ code: 0, output: "" });
  });

  it("compiles the examples of the README", async () => {
    const readme = await readFile(join(root, "README.md"), "utf8");
    const examples = [...readme.matchAll(/^```ts\n(.*?)^```/gms)].map((match) => match[1] ?? "");
    expect(examples).not.toEqual([]);
    expect(await check("readme", examples.join("\n"), {})).toEqual({ code: 0, output: "" });
  });

  it("gets a compile error for a name that does not exist", async () => {
    const code = entries.map((entry) => `import { nothing } from "${entry}";\n`).join("");
    const { code: exit, output } = await check("wrong", code, {});
    expect(exit).not.toBe(0);
    expect(output.match(/error TS2305: .* has no exported member 'nothing'/g)).toHaveLength(
      entries.length,
    );
  });

  it("loads every entry", async () => {
    const code = entries.map((entry) => `await import("${entry}");`).join("\n");
    await writeFile(join(consumer, "load.js"), code);
    expect(await node([join(consumer, "load.js")], consumer)).toEqual({ code: 0, output: "" });
  });

  it.each(Object.entries(manifest.bin))("runs %s --version from one file", async (_name, file) => {
    // The file is alone in its folder, so that the output depends on nothing else.
    const folder = await mkdtemp(join(scratch, "bin-"));
    await cp(join(consumer, "node_modules/dragoman", file), join(folder, "bin.mjs"));
    expect(await node([join(folder, "bin.mjs"), "--version"], folder)).toEqual({
      code: 0,
      output: `${manifest.version}\n`,
    });
  });
});
