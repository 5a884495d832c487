// @ts-check
import ts from "@typescript/typescript6";

/**
 * Gives a comment to each property of a declaration file that has none and only one possible value, such
 * as the `type` that tells the members of a union apart, or the `name` of an error. In the sources, that
 * value is explanation enough; in the API reference and in editors, an empty place would look like an
 * omission. The types of the SDK, which we cannot edit, get theirs this way too.
 * @param {string} code
 */
export function describeLiterals(code) {
  const source = ts.createSourceFile("index.d.ts", code, ts.ScriptTarget.Latest, true);
  /** @type {{ start: number, comment: string }[]} */
  const places = [];
  /** @param {ts.Node} node */
  const visit = (node) => {
    const value = onlyValue(node);
    if (value !== undefined && ts.getJSDocCommentsAndTags(node).length === 0) {
      const start = node.getStart(source);
      const indent = /[ \t]*$/.exec(code.slice(0, start))?.[0] ?? "";
      places.push({ start, comment: `/** Always \`${value}\`. */\n${indent}` });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  // From the end, so that the earlier positions stay valid.
  return places
    .toSorted((a, b) => b.start - a.start)
    .reduce(
      (text, { start, comment }) => `${text.slice(0, start)}${comment}${text.slice(start)}`,
      code,
    );
}

/**
 * The text of the literal that a property always has; undefined for anything else.
 * @param {ts.Node} node
 */
function onlyValue(node) {
  if (!ts.isPropertySignature(node) && !ts.isPropertyDeclaration(node)) return undefined;
  const { type, questionToken } = node;
  if (questionToken) return undefined;
  const initializer = ts.isPropertyDeclaration(node) ? node.initializer : undefined;
  if (initializer) return ts.isStringLiteral(initializer) ? initializer.getText() : undefined;
  if (!type || !ts.isLiteralTypeNode(type)) return undefined;
  return type.literal.kind === ts.SyntaxKind.NullKeyword ? undefined : type.getText();
}
