// The declarations as users get them: bundled, with the protocol's types written into them.
import { mkdir, mkdtemp, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { describeLiterals } from "../../scripts/describe-literals.mjs";
import {
  coverageOf,
  deadLinks,
  exactOptionals,
  missingValues,
  readDeclarations,
  unexportedNames,
  type Declarations,
} from "../support/declarations.ts";
import { modules, node, root, unpackTarball, type Packed } from "../support/package.ts";

let packed: Packed;
let declarations: Declarations;

beforeAll(async () => {
  packed = await unpackTarball();
  // The only package that declarations may import: users of `dragoman/ai` have it.
  await mkdir(join(packed.consumer, "node_modules/@ai-sdk"));
  const provider = "node_modules/@ai-sdk/provider";
  await symlink(join(root, provider), join(packed.consumer, provider), "dir");
  declarations = readDeclarations(join(packed.home, "dist"));
});

afterAll(() => packed.remove());

describe("the published declarations", () => {
  it("let users name what functions return and classes have", () => {
    expect(unexportedNames(declarations)).toEqual([]);
  });

  it("have no dead links", () => {
    expect(deadLinks(declarations)).toEqual([]);
  });

  it("describe every exported name and every member", () => {
    const { names, undocumented } = coverageOf(declarations);
    expect(names).toBeGreaterThan(1500);
    expect(undocumented, `${undocumented.length} of ${names} have no comment`).toEqual([]);
  });

  it("accept undefined for every optional property", () => {
    expect(exactOptionals(declarations)).toEqual([]);
  });

  it("declare no class or function that the code does not export", async () => {
    const exported = await Promise.all(
      declarations.entries.map(async ({ name }) => {
        const url = pathToFileURL(join(packed.home, "dist", `${name}.js`)).href;
        const module: object = await import(url);
        return [name, new Set(Object.keys(module))] as const;
      }),
    );
    expect(missingValues(declarations, new Map(exported))).toEqual([]);
  });

  it("compile in a project that forwards undefined for every optional property", async () => {
    const folder = join(packed.consumer, "forwarding");
    await mkdir(folder);
    await writeFile(join(folder, "index.mts"), forwarding(declarations));
    const compilerOptions = {
      module: "NodeNext",
      target: "ES2022",
      lib: ["ES2023", "DOM"],
      strict: true,
      exactOptionalPropertyTypes: true,
      noEmit: true,
      types: [],
    };
    await writeFile(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions }));
    const tsc = join(modules, "typescript/bin/tsc");
    expect(await node([tsc, "-p", folder], folder)).toEqual({ code: 0, output: "" });
  });
});

/** The entry `fleet/engine` is a file with a hyphen. */
function identifierOf(entry: string): string {
  return entry.replaceAll("-", "_");
}

/**
 * A program that names every exported type. `Exact` lists the optional properties of a type, or of a
 * member of a union, that undefined may not be assigned to.
 */
function forwarding({ entries }: Declarations): string {
  const types = entries.flatMap(({ name, types: exported }) =>
    exported.map(({ name: type, parameters }) => {
      const given = parameters === 0 ? "" : `<any${", any".repeat(parameters - 1)}>`;
      return `none<Exact<${identifierOf(name)}.${type}${given}>>();`;
    }),
  );
  expect(types.length).toBeGreaterThan(300);
  return [
    ...entries.map(
      ({ name }) =>
        `import type * as ${identifierOf(name)} from "../node_modules/dragoman/dist/${name}.js";`,
    ),
    `type Exact<T> = T extends Error ? ExactFields<Omit<T, keyof Error>>
      : T extends AsyncIterator<unknown, unknown> ? ExactFields<Omit<T, keyof AsyncIterator<unknown>>>
      : ExactFields<T>;
    type ExactFields<T> = T extends string | readonly unknown[] ? never : T extends object
      ? { [K in keyof T]-?: string extends K ? never : {} extends Pick<T, K>
          ? { [P in K]: undefined } extends Pick<T, K> ? never : K
          : never }[keyof T]
      : never;`,
    "declare function none<T>(...exact: [T] extends [never] ? [] : [T]): void;",
    ...types,
    // The two cases from practice that did not compile.
    `export async function forward(signal: AbortSignal | undefined, cwd: string | undefined,
       client: dragoman.AcpClient, session: dragoman.Session): Promise<void> {
       await session.prompt("x", { signal }).text();
       for await (const one of client.listSessions({ signal, cwd })) void one;
     }`,
    `export const target: dragoman.AcpClientConfig = { command: "x", cwd: undefined, stages: { eofMs: undefined } };`,
    `export const logger: dragoman.Logger = { debug: undefined };`,
  ].join("\n");
}

describe("a property with only one value", () => {
  it.each([
    ['  readonly type: "text";', '  /** Always `"text"`. */\n  readonly type: "text";'],
    ["  a: true;", "  /** Always `true`. */\n  a: true;"],
  ])("gets a comment: %s", (member, described) => {
    expect(describeLiterals(`interface A {\n${member}\n}`)).toBe(`interface A {\n${described}\n}`);
  });

  it("gets one in a class", () => {
    const code = 'declare class A {\n  readonly name = "A";\n}';
    expect(describeLiterals(code)).toContain('/** Always `"A"`. */\n  readonly name = "A";');
  });

  it.each([
    '/** Its own. */\n  type: "text";',
    'type: "one" | "two";',
    "type: string;",
    "type: null;",
    'type?: "text";',
    'type(): "text";',
  ])("is the only one that gets one: %s", (member) => {
    const code = `interface A {\n  ${member}\n}`;
    expect(describeLiterals(code)).toBe(code);
  });
});

describe("the rules", () => {
  /** Made-up declarations of one entry. */
  async function declared(code: string): Promise<Declarations> {
    const folder = await mkdtemp(join(packed.scratch, "rules-"));
    await writeFile(join(folder, "index.d.ts"), code);
    return readDeclarations(folder);
  }

  it.each([
    ["interface A {} export interface B { a: A }", []],
    ["interface A {} export interface B { a: A } export declare function f(): B;", []],
    ["interface A {} export declare function f(a: A): void;", []],
    ["type A = 1; export declare function f<T>(t: T): Promise<readonly A[]>;", ["A"]],
    ["interface A {} export declare class B { constructor(a: A); }", []],
    ["interface A {} export declare class B { private a: A; b: string }", []],
    ["interface A {} export declare class B { a(): A; c(): A }", ["A"]],
  ])("find the names that %s does not export", async (code, names) => {
    const complaints = unexportedNames(await declared(`${code}\nexport {};`));
    expect(complaints.map((text) => /^([\w$]+),/.exec(text)?.[1])).toEqual(names);
  });

  it.each([
    ["/** {@link Gone} */ export interface A {}", 1],
    ["interface B {}\n/** See {@link B}. */\nexport interface A {}", 1],
    ["export interface A {\n/** {@link B.c} */\na: 1 } export interface B { b: 1 }", 1],
    ["export interface A {\n/** Like {@link A.b}. */\na: 1; b: 1 }", 0],
    ["/** {@link https://example.com}, {@link B} */\nexport interface A {} export class B {}", 0],
  ])("find the dead links of %s", async (code, count) => {
    expect(deadLinks(await declared(`${code}\nexport {};`))).toHaveLength(count);
  });

  it.each([
    ["export interface A { a?: string }", 1],
    ["export interface A { a?(): void }", 1],
    ["export interface A { a?: never }", 1],
    ["export type A = { a?: () => void } | { b?: undefined };", 1],
    ["export declare class A { a?: number }", 1],
    ["export declare function a(options: { a?: 1 }): void;", 1],
    ["export type A = Partial<{ a: 1 }>;", 1],
    ["export type A<T> = { [K in keyof T]?: T[K] };", 1],
    ["export type A<T> = { [K in keyof T]?: T[K] | undefined };", 0],
    ["type U = 1 | undefined; export interface A { a?: U; b?: unknown; c?: any }", 0],
    ["export declare function a(b?: string): void;", 0],
  ])("find the optional properties of %s that do not accept undefined", async (code, count) => {
    expect(exactOptionals(await declared(`${code}\nexport {};`))).toHaveLength(count);
  });

  it.each([
    ["export interface A { a: 1 }", ["A", "A.a"]],
    ["/** A. */ export interface A {\n/** B. */ b: { c: 1 } }", ["A.b.c"]],
    ["/** A. */ export type A = { a(): Promise<{ b: 1 }> } | { c: 1 };", ["A.a", "A.a.b", "A.c"]],
    ["/** A. */ export type A = 'one' | 'two';", []],
    ["export declare function a(b: { c: 1 }): void;", ["a"]],
    ["export declare const A: { readonly b: 1 };", ["A", "A.b"]],
    [
      "/** A. */ export declare class A { constructor(); b: 1; [Symbol.iterator](): 1 }",
      ["A.b", "A.[Symbol.iterator]"],
    ],
    ["/** A. */ export interface A { id: 1; sessionId: 1; filePath: 1; idle: 1 }", ["A.idle"]],
    ["export interface path { b: 1 }", ["path", "path.b"]],
    ["/** A. */ export declare class A { private constructor(); private b: 1; #c: 1 }", []],
    [
      "/** A. */ export interface A extends B { b: 1 }\n/** B. */ export interface B {\n/** C. */ b: 1 }",
      [],
    ],
  ])("find the names that %s does not describe", async (code, names) => {
    const { undocumented } = coverageOf(await declared(`${code}\nexport {};`));
    expect(undocumented).toEqual(names.map((name) => `index: ${name}`));
  });

  it("find the undescribed members of a constant that a type names", async () => {
    const code = "declare const A: { b: 1 };\n/** C. */ export type C = keyof typeof A;";
    const { undocumented } = coverageOf(await declared(`${code}\nexport {};`));
    expect(undocumented).toEqual(["typeof A", "typeof A.b"]);
  });

  it("count every name once", async () => {
    const code = "/** A. */ export interface A {\n/** B. */ b: A } export type { A as B };";
    expect(coverageOf(await declared(code))).toEqual({ names: 2, undocumented: [] });
  });

  it("find a class that the code does not export", async () => {
    const given = await declared("export declare class A {} export interface B {}");
    expect(missingValues(given, new Map([["index", new Set(["A"])]]))).toEqual([]);
    expect(missingValues(given, new Map([["index", new Set<string>()]]))).toHaveLength(1);
  });
});
