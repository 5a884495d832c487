// @ts-check
// `npm run docs -- report`: writes api/*.api.d.ts, the public interface of each entry as one file without
// comments, sorted by name. A change of the interface therefore shows in a diff, and a test fails until
// the files are written again.
// Usage: node scripts/api-report.mjs [--types <folder with declarations>] [--out <folder>]
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import ts from "@typescript/typescript6";
import { format } from "oxfmt";
import { publishedEntries, withDeclarations } from "./declarations.mjs";
import { root } from "./run.mjs";

const { values: options } = parseArgs({
  options: { types: { type: "string" }, out: { type: "string", default: join(root, "api") } },
});
const out = resolve(options.out);
const printer = ts.createPrinter({ removeComments: true });

await withDeclarations(options.types, async (folder) => {
  const entries = await publishedEntries();
  const paths = entries.map(({ id }) => join(folder, `${id}.d.ts`));
  const program = ts.createProgram(paths, { module: ts.ModuleKind.NodeNext, types: [] });
  const style = JSON.parse(await readFile(join(root, ".oxfmtrc.json"), "utf8"));
  await mkdir(out, { recursive: true });
  await Promise.all(
    entries.map(async ({ name, id }, index) => {
      const head = `// The public interface of \`${name}\`, written by \`npm run docs\`.\n`;
      const { code, errors } = await format(
        `${id}.d.ts`,
        `${head}\n${report(program, paths[index] ?? "")}`,
        style,
      );
      if (errors.length > 0) throw new Error(`${name}: ${JSON.stringify(errors)}`);
      await writeFile(join(out, `${id}.api.d.ts`), code);
    }),
  );
});

/**
 * The declarations of everything that a module exports.
 * @param {ts.Program} program
 * @param {string} path
 */
function report(program, path) {
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(path);
  const module = source && checker.getSymbolAtLocation(source);
  if (!module) throw new Error(`${path} is not a module`);
  /** @param {ts.Symbol} symbol */
  const target = (symbol) =>
    symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
  const exported = checker
    .getExportsOfModule(module)
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .map((symbol) => ({ name: symbol.name, symbol: target(symbol) }));
  const names = new Map(exported.map(({ name, symbol }) => [symbol, name]));
  /** Constants that an exported type names, although they are not exported. @type {Set<ts.Symbol>} */
  const hidden = new Set();
  /** @param {ts.Identifier} identifier */
  const publicName = (identifier) => {
    const symbol = checker.getSymbolAtLocation(identifier);
    const name = symbol && names.get(target(symbol));
    if (symbol && name === undefined && isOwnValue(target(symbol))) hidden.add(target(symbol));
    // The bundler renames a type of the protocol to `X$1` if we export our own `X` in its place. A test
    // proves that the two are the same.
    return name ?? identifier.text.replace(/\$\d+$/, "");
  };
  /** @param {ts.Symbol} symbol */
  const printed = ({ declarations = [] }) =>
    declarations.map((declaration) => print(declaration, publicName));
  const statements = exported.flatMap(({ symbol }) =>
    printed(symbol).map((text) => `export ${text}`),
  );
  // This loop also reaches the constants that are added while it runs.
  for (const symbol of hidden) statements.push(...printed(symbol));
  return [...packageImports(source), ...statements].join("\n\n");
}

/**
 * The imports of types that users get from another package.
 * @param {ts.SourceFile} source
 */
function packageImports(source) {
  return source.statements
    .filter((statement) => ts.isImportDeclaration(statement))
    .filter(({ moduleSpecifier }) => !/^"\.|^'\./.test(moduleSpecifier.getText(source)))
    .map((statement) => printer.printNode(ts.EmitHint.Unspecified, statement, source));
}

/**
 * Whether a symbol is a constant of the package, which a type can name with `typeof`.
 * @param {ts.Symbol} symbol
 */
function isOwnValue({ valueDeclaration }) {
  return (
    valueDeclaration !== undefined &&
    ts.isVariableDeclaration(valueDeclaration) &&
    !valueDeclaration.getSourceFile().fileName.includes("/node_modules/")
  );
}

/**
 * @param {ts.Declaration} declaration
 * @param {(identifier: ts.Identifier) => string} publicName
 */
function print(declaration, publicName) {
  const result = ts.transform(declaration, [
    (context) => {
      /**
       * @param {ts.Node} node
       * @returns {ts.Node | undefined}
       */
      const visit = (node) => {
        if (isPrivate(node)) return undefined;
        if (!ts.isIdentifier(node)) return ts.visitEachChild(node, visit, context);
        const name = publicName(node);
        return name === node.text ? node : ts.factory.createIdentifier(name);
      };
      return (node) => ts.visitEachChild(node, visit, context);
    },
  ]);
  const [node = declaration] = result.transformed;
  const text = printer.printNode(ts.EmitHint.Unspecified, node, declaration.getSourceFile());
  result.dispose();
  const statement = ts.isVariableDeclaration(declaration) ? `declare const ${text};` : text;
  return statement.replace(/^export /, "");
}

/**
 * Whether users cannot see a node. A private constructor matters to them: they cannot call `new`.
 * @param {ts.Node} node
 */
function isPrivate(node) {
  if (!ts.isClassElement(node) || ts.isConstructorDeclaration(node)) return false;
  const hidden = ts.getCombinedModifierFlags(node) & ts.ModifierFlags.Private;
  return hidden !== 0 || (node.name !== undefined && ts.isPrivateIdentifier(node.name));
}
