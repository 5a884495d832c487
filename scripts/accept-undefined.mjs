// @ts-check
import ts from "@typescript/typescript6";

/**
 * Adds `| undefined` to the optional properties of the protocol's types in a declaration file, so that
 * users with `exactOptionalPropertyTypes` can forward a value that may be undefined. The SDK, which
 * generates these types, leaves it out. They are the only types in the package that are not readonly:
 * our own types say `| undefined` themselves, so that our code is checked against it.
 * @param {string} code
 */
export function acceptUndefined(code) {
  const source = ts.createSourceFile("index.d.ts", code, ts.ScriptTarget.Latest);
  /** @type {number[]} */
  const ends = [];
  /** @param {ts.Node} node */
  const visit = (node) => {
    if (ts.isPropertySignature(node) && isExact(node) && node.type) ends.push(node.type.end);
    ts.forEachChild(node, visit);
  };
  visit(source);
  // From the end, so that the earlier positions stay valid.
  return ends
    .toSorted((a, b) => b - a)
    .reduce((text, end) => `${text.slice(0, end)} | undefined${text.slice(end)}`, code);
}

/** @param {ts.PropertySignature} property */
function isExact({ questionToken, modifiers, type }) {
  if (!questionToken || !type || modifiers?.some(isReadonly)) return false;
  const parts = ts.isUnionTypeNode(type) ? type.types : [type];
  return !parts.some(({ kind }) => NO_CHANGE.has(kind));
}

/** Types that undefined already belongs to. */
const NO_CHANGE = new Set([ts.SyntaxKind.UndefinedKeyword, ts.SyntaxKind.UnknownKeyword]);

/** @param {ts.ModifierLike} modifier */
function isReadonly(modifier) {
  return modifier.kind === ts.SyntaxKind.ReadonlyKeyword;
}
