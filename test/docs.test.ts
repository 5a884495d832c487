// Users copy code from the documents, so every TypeScript example in them must compile.
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";

const run = promisify(execFile);
const root = fileURLToPath(new URL("../", import.meta.url));

/** Names that an example may use without a declaration, because the surrounding text explains them. */
const CONTEXT = `
declare global {
  const cwd: string;
  const path: string;
  const client: import("dragoman").AcpClient;
  const turn: import("dragoman/agent").Turn<unknown>;
  const onPermission: import("dragoman/droid").DroidPermissionHandler;
  const onAskUser: import("dragoman/droid").AskUserHandler;
}
export {};
`;

let scratch: string;

beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), "dragoman-docs-"));
  await symlink(join(root, "node_modules"), join(scratch, "node_modules"), "dir");
});

afterAll(() => rm(scratch, { recursive: true, force: true }));

it("every TypeScript example in README and docs compiles", { timeout: 60_000 }, async () => {
  const documents = ["README.md", ...(await readdir(join(root, "docs"))).map((n) => `docs/${n}`)];
  const examples = await Promise.all(
    documents
      .filter((name) => name.endsWith(".md"))
      .map(async (name) => {
        const text = await readFile(join(root, name), "utf8");
        return [...text.matchAll(/^```ts\n([^]*?)^```$/gm)].map(([, code], index) => ({
          file: `${name.replaceAll(/\W/g, "-")}-${index + 1}.mts`,
          code: `${code}\nexport {};\n`,
        }));
      }),
  );
  const config = {
    extends: join(root, "tsconfig.json"),
    compilerOptions: {
      paths: {
        dragoman: [join(root, "src/entries/dragoman.ts")],
        "dragoman/*": [join(root, "src/entries/*.ts")],
      },
    },
    include: ["*.mts"],
  };
  await writeFile(join(scratch, "tsconfig.json"), JSON.stringify(config));
  // Not a .d.ts file, because `skipLibCheck` would hide a type that does not exist.
  await writeFile(join(scratch, "context.mts"), CONTEXT);
  const all = examples.flat();
  await Promise.all(all.map(({ file, code }) => writeFile(join(scratch, file), code)));
  expect(all.length).toBeGreaterThan(5);
  const tsc = join(root, "node_modules/typescript/bin/tsc");
  const output = await run(process.execPath, [tsc, "-p", scratch]).then(
    ({ stdout }) => stdout,
    (error: unknown) => (error instanceof Error && "stdout" in error ? error.stdout : error),
  );
  expect(output).toBe("");
});

it("docs/security.md names only tests that exist", async () => {
  const page = await readFile(join(root, "docs/security.md"), "utf8");
  const sections = page.split(/^#+ /m);
  const missing = sections.flatMap((section) => {
    const [, base] = /\bbelow `(test\/[^`]*)`\.$/m.exec(section) ?? [];
    if (base === undefined) return [];
    const rows = [...section.matchAll(/^\| (?!Threat|-)[^|]+\|[^|]+\|([^|]+)\|/gm)];
    expect(rows).not.toHaveLength(0);
    const names = rows.flatMap(([, cell = ""]) => [...cell.matchAll(/`([^`]+)`/g)]);
    return names.flatMap(([, name = ""]) =>
      existsSync(join(root, base, `${name}.test.ts`)) ? [] : [name],
    );
  });
  expect(missing).toEqual([]);
});

it("docs/library.md lists every error code", async () => {
  const source = await readFile(join(root, "src/base/dragoman-error.ts"), "utf8");
  const page = await readFile(join(root, "docs/library.md"), "utf8");
  const codes = [...source.matchAll(/^ {2}\| "(\w+)"/gm)].map(([, code]) => code);
  expect(codes.length).toBeGreaterThan(20);
  expect(codes.filter((code) => !new RegExp(`^\\| \`${code}\` +\\|`, "m").test(page))).toEqual([]);
});
