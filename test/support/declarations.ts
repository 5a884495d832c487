// Rules for the declarations that users get, as functions from a folder of bundled declarations to
// complaints.
import { readdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import ts from "@typescript/typescript6";

export interface Declarations {
  readonly checker: ts.TypeChecker;
  readonly files: readonly ts.SourceFile[];
  readonly entries: readonly Entry[];
}

/** One published entry, and the things it exports, by name. */
interface Entry {
  readonly name: string;
  readonly exports: ReadonlyMap<string, ts.Symbol>;
  /** The exported types, with their number of type parameters. */
  readonly types: readonly { readonly name: string; readonly parameters: number }[];
}

const OPTIONS: ts.CompilerOptions = {
  module: ts.ModuleKind.NodeNext,
  target: ts.ScriptTarget.ES2022,
  lib: ["lib.es2023.d.ts", "lib.esnext.disposable.d.ts", "lib.dom.d.ts"],
  strict: true,
  exactOptionalPropertyTypes: true,
  allowImportingTsExtensions: true,
  noEmit: true,
  types: [],
};

const libraries = new Map<string, ts.SourceFile | undefined>();

/** Parses the language's own declarations, which are large, only once. */
function cachingHost(): ts.CompilerHost {
  const host = ts.createCompilerHost(OPTIONS);
  const library = host.getDefaultLibLocation?.() ?? "";
  return {
    ...host,
    getSourceFile: (path, target) => {
      if (!path.startsWith(library)) return host.getSourceFile(path, target);
      if (!libraries.has(path)) libraries.set(path, host.getSourceFile(path, target));
      return libraries.get(path);
    },
  };
}

/** Reads the declarations in a folder: each file directly in it is an entry. */
export function readDeclarations(folder: string): Declarations {
  const names = readdirSync(folder).filter((name) => name.endsWith(".d.ts"));
  return readEntries(names.map((name) => join(folder, name)));
}

/** Reads entries, which may be sources too. */
export function readEntries(paths: readonly string[]): Declarations {
  const program = ts.createProgram(paths, OPTIONS, cachingHost());
  const checker = program.getTypeChecker();
  const folders = paths.map((path) => dirname(path));
  const files = program
    .getSourceFiles()
    .filter(({ fileName }) => folders.some((folder) => fileName.startsWith(folder)));
  const entries = paths.map((path) => {
    const source = program.getSourceFile(path);
    const module = source && checker.getSymbolAtLocation(source);
    if (!module) throw new Error(`${path} is not a module`);
    const exports = new Map(
      checker
        .getExportsOfModule(module)
        .map((symbol) => [symbol.name, resolve(checker, symbol)] as const),
    );
    const types = [...exports]
      .filter(([, { flags }]) => flags & ts.SymbolFlags.Type)
      .map(([name, symbol]) => ({ name, parameters: parametersOf(symbol) }));
    return { name: basename(path).replace(/(?:\.d)?\.ts$/, ""), exports, types };
  });
  return { checker, files, entries };
}

/**
 * Types that functions return and that classes have as members, but that no entry exports, so that users
 * could not name what they got. Parameters need no name, and parts of a type have one: `Type["field"]`.
 */
export function unexportedNames({ checker, files, entries }: Declarations): string[] {
  const own = new Set(files);
  const exports = new Map(
    entries.flatMap((entry) =>
      [...entry.exports].map(([name, symbol]) => [`${entry.name}.${name}`, symbol] as const),
    ),
  );
  const complaints = [...new Set(exports.values())].flatMap((symbol) => {
    if (!(symbol.flags & (ts.SymbolFlags.Function | ts.SymbolFlags.Class))) return [];
    const declarations = symbol.declarations?.filter((one) => own.has(one.getSourceFile())) ?? [];
    return declarations
      .flatMap(resultsOf)
      .flatMap(namesIn)
      .flatMap((used) => {
        const found = checker.getSymbolAtLocation(used);
        const target = found && resolve(checker, found);
        const isOwn = target?.declarations?.some((one) => own.has(one.getSourceFile())) === true;
        if (!isOwn || !(target.flags & ts.SymbolFlags.Type)) return [];
        if (target.flags & ts.SymbolFlags.TypeParameter) return [];
        return isImportable(checker, target, exports)
          ? []
          : [`${target.name}, used by ${symbol.name}`];
      });
  });
  return [...new Set(complaints)];
}

/** The types of what a function returns, or of what the members of a class are and return. */
function resultsOf(declaration: ts.Declaration): readonly ts.TypeNode[] {
  if (ts.isFunctionDeclaration(declaration)) return declaration.type ? [declaration.type] : [];
  if (!ts.isClassDeclaration(declaration)) return [];
  return declaration.members.flatMap((member) => {
    if (isPrivate(member)) return [];
    const isTyped =
      ts.isPropertyDeclaration(member) ||
      ts.isMethodDeclaration(member) ||
      ts.isGetAccessorDeclaration(member);
    return isTyped && member.type ? [member.type] : [];
  });
}

/** Links in comments that lead to nothing, or to something that no user can see. */
export function deadLinks({ checker, files, entries }: Declarations): string[] {
  const exported = new Set(entries.flatMap(({ exports }) => [...exports.values()]));
  return files.flatMap((file) =>
    nodesOf(file)
      .flatMap((node) => ts.getJSDocCommentsAndTags(node))
      .flatMap((comment) => nodesOf(comment))
      .filter((node) => ts.isJSDocLink(node) || ts.isJSDocLinkPlain(node))
      .filter(({ name, text }) => {
        // The address of a page: its scheme is parsed as a name.
        if (text.startsWith("://")) return false;
        const symbol = name && checker.getSymbolAtLocation(name);
        return !symbol || !isVisible(resolve(checker, symbol), exported);
      })
      .map((link) => `${place(link)}: ${link.getText()}`),
  );
}

/** Optional properties that do not accept undefined under `exactOptionalPropertyTypes`. */
export function exactOptionals({ checker, files }: Declarations): string[] {
  return files.flatMap((file) =>
    nodesOf(file)
      .filter((node) => {
        if (ts.isMethodSignature(node) || ts.isMethodDeclaration(node)) return node.questionToken;
        if (ts.isMappedTypeNode(node)) {
          return node.questionToken && !acceptsUndefined(checker, node.type);
        }
        if (ts.isTypeReferenceNode(node)) return node.typeName.getText() === "Partial";
        if (!ts.isPropertySignature(node) && !ts.isPropertyDeclaration(node)) return false;
        return node.questionToken && !acceptsUndefined(checker, node.type);
      })
      .map((node) => `${place(node)}: ${node.getText()}`),
  );
}

/** Classes, functions and constants that the declarations promise, but the code does not export. */
export function missingValues(
  { entries }: Declarations,
  values: ReadonlyMap<string, ReadonlySet<string>>,
): string[] {
  return entries.flatMap(({ name, exports }) =>
    [...exports]
      .filter(([key, { flags }]) => flags & ts.SymbolFlags.Value && !values.get(name)?.has(key))
      .map(([key]) => `${name}: ${key}`),
  );
}

/** How many names users see, and which of them have no comment: `entry: Type.member`. */
export interface Coverage {
  readonly names: number;
  readonly undocumented: readonly string[];
}

/** Names of members that say everything: a comment could only repeat them. */
const PLAIN_NAMES = new RegExp(
  `^(?:${[
    "id|name|text|path|filePath|url|uri|title|message|content|method|code|data|cwd|constructor",
    "agent|error|host|owner|params|result|session",
    "answer|description|durationMs|entries|failure|files|images|input|isError|mediaType|models?",
    "questions?|settings|steps|toolUse|version|fullCommand|forkTitle|workingDirectory",
    "args|body|cols|command|env|mimeType|newText|pid|port|rows|value|pause|resume|destroy|setHeader",
    // Members of Node's and the web platform's own objects.
    "addEventListener|bufferedAmount|close|destroyed|end|errored|headersSent|httpVersionMajor|on|once",
    "remoteAddress|removeAllListeners|socket|start|statusCode|write",
    "_?meta|raw(?:[A-Z]\\w*)?|[a-z]\\w*(?:Id|Name|Tokens)",
  ].join("|")})$`,
);

/**
 * Looks for a comment on every exported name and on every member of an exported type, including those of
 * object types inside it. A member without one may inherit it from a member that it overrides, or have a
 * name that explains itself.
 */
export function coverageOf({ checker, entries }: Declarations): Coverage {
  const seen = new Set<ts.Symbol>();
  const undocumented: string[] = [];
  let names = 0;
  const count = (name: string, comments: readonly unknown[]): void => {
    names += 1;
    const [, member] = /\.([^.]+)$/.exec(name) ?? [];
    const isPlain = member !== undefined && PLAIN_NAMES.test(member);
    if (comments.length === 0 && !isPlain) undocumented.push(name);
  };
  const add = (symbol: ts.Symbol, name: string): void => {
    if (seen.has(symbol)) return;
    seen.add(symbol);
    count(name, symbol.getDocumentationComment(checker));
    for (const declaration of symbol.declarations ?? []) addMembers(declaration, name);
  };
  const addMembers = (owner: ts.Node, name: string): void => {
    ts.forEachChild(owner, (node) => {
      if (isPrivate(node) || ts.isParameter(node)) return;
      if (ts.isConstructorDeclaration(node)) {
        count(`${name}.constructor`, ts.getJSDocCommentsAndTags(node));
        return;
      }
      if (ts.isTypeQueryNode(node)) addConstant(node.exprName);
      const member = ts.isTypeElement(node) || ts.isClassElement(node) ? node.name : undefined;
      const symbol = member && checker.getSymbolAtLocation(member);
      if (symbol) add(symbol, `${name}.${memberName(symbol)}`);
      else addMembers(node, name);
    });
  };
  /** A constant that a type names with `typeof`: users see its members. */
  const addConstant = (name: ts.EntityName): void => {
    const symbol = checker.getSymbolAtLocation(name);
    if (symbol) add(resolve(checker, symbol), `typeof ${name.getText()}`);
  };
  for (const { name, exports } of entries) {
    for (const [key, symbol] of exports) add(symbol, `${name}: ${key}`);
  }
  return { names, undocumented };
}

/** The name of a member. The compiler writes `[Symbol.x]` as `__@x@number`. */
function memberName({ name }: ts.Symbol): string {
  return name.replace(/^__@(\w+?)@.*$/, "[Symbol.$1]");
}

function resolve(checker: ts.TypeChecker, symbol: ts.Symbol): ts.Symbol {
  return symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
}

/**
 * Whether a type, or one that is the same, is exported. The bundler renames a type of the protocol to
 * `X$1` if we export our own `X` in its place.
 */
function isImportable(
  checker: ts.TypeChecker,
  symbol: ts.Symbol,
  exports: ReadonlyMap<string, ts.Symbol>,
): boolean {
  if ([...exports.values()].includes(symbol)) return true;
  // The bundler appends a number to a name that it has twice.
  const plain = symbol.name.replace(/\$\d+$/, "");
  return [...exports.values()].some((other) => {
    if (other.name !== plain) return false;
    const [one, two] = [symbol, other].map((each) => checker.getDeclaredTypeOfSymbol(each));
    return (
      one !== undefined &&
      two !== undefined &&
      checker.isTypeAssignableTo(one, two) &&
      checker.isTypeAssignableTo(two, one)
    );
  });
}

function parametersOf({ declarations = [] }: ts.Symbol): number {
  const counts = declarations.map((one) =>
    ts.isInterfaceDeclaration(one) || ts.isClassDeclaration(one) || ts.isTypeAliasDeclaration(one)
      ? (one.typeParameters?.length ?? 0)
      : 0,
  );
  return Math.max(0, ...counts);
}

/** The names of types and values that a declaration uses, outside its private members. */
function namesIn(declaration: ts.Node): ts.Node[] {
  return nodesOf(declaration, isPrivate).flatMap((node): ts.Node[] => {
    if (ts.isTypeReferenceNode(node)) return [node.typeName];
    if (ts.isTypeQueryNode(node)) return [node.exprName];
    return ts.isExpressionWithTypeArguments(node) ? [node.expression] : [];
  });
}

function nodesOf(root: ts.Node, skip: (node: ts.Node) => boolean = () => false): ts.Node[] {
  const found: ts.Node[] = [];
  const visit = (node: ts.Node): void => {
    if (skip(node)) return;
    found.push(node);
    ts.forEachChild(node, visit);
  };
  visit(root);
  return found;
}

function isPrivate(node: ts.Node): boolean {
  if (ts.isClassElement(node) && node.name && ts.isPrivateIdentifier(node.name)) return true;
  const modifiers = ts.canHaveModifiers(node) ? ts.getModifiers(node) : undefined;
  return modifiers?.some(({ kind }) => kind === ts.SyntaxKind.PrivateKeyword) ?? false;
}

/** Whether a symbol, or the type it is a member of, is exported. */
function isVisible(symbol: ts.Symbol, exported: ReadonlySet<ts.Symbol>): boolean {
  if (exported.has(symbol)) return true;
  return (symbol.declarations ?? []).some(
    ({ parent }) => "symbol" in parent && [...exported].some((one) => one === parent.symbol),
  );
}

function acceptsUndefined(checker: ts.TypeChecker, node: ts.TypeNode | undefined): boolean {
  if (!node) return true;
  const type = checker.getTypeFromTypeNode(node);
  const parts = type.isUnion() ? type.types : [type];
  const accepting = ts.TypeFlags.Undefined | ts.TypeFlags.Unknown | ts.TypeFlags.Any;
  return parts.some(({ flags }) => flags & accepting);
}

function place(node: ts.Node): string {
  const file = node.getSourceFile();
  const { line } = file.getLineAndCharacterOfPosition(node.getStart());
  return `${file.fileName.split("/").at(-1)}:${line + 1}`;
}

/** Everything that hands out a promise, as `Type.member` or the name of a function. */
export function promisesOf({ checker, entries }: Declarations): string[] {
  const names = entries.flatMap(({ exports }) =>
    [...exports].flatMap(([name, symbol]) => {
      const declaration = symbol.declarations?.[0];
      if (!declaration) return [];
      const members = (type: ts.Type): string[] =>
        type
          .getProperties()
          .filter((member) => !member.name.includes("#"))
          .filter((member) => givesPromise(checker, checker.getTypeOfSymbol(member)))
          .map((member) => `${name}.${member.name.replace(/^__@(\w+?)@.*$/, "$1")}`);
      const value =
        symbol.flags & ts.SymbolFlags.Value ? checker.getTypeOfSymbol(symbol) : undefined;
      return [
        ...(symbol.flags & (ts.SymbolFlags.Class | ts.SymbolFlags.Interface)
          ? members(checker.getDeclaredTypeOfSymbol(symbol))
          : []),
        ...(value && symbol.flags & ts.SymbolFlags.Class ? members(value) : []),
        ...(value && symbol.flags & ts.SymbolFlags.Function && givesPromise(checker, value)
          ? [name]
          : []),
      ];
    }),
  );
  return [...new Set(names)].toSorted();
}

function givesPromise(checker: ts.TypeChecker, type: ts.Type): boolean {
  const given = [type, ...type.getCallSignatures().map((one) => one.getReturnType())];
  return given.some((one) => one.symbol?.name === "Promise" || one.symbol?.name === "AsyncStream");
}
