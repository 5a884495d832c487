/**
 * Parses JSON that may have comments and trailing commas. Throws a usage error with the line and the
 * column. Most files are plain JSON, so the parser for comments is loaded only if there are some.
 */
export async function parseJson(text: string, file: string): Promise<unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return value;
  } catch {
    const { parseJsonWithComments } = await import("./json-with-comments.ts");
    return parseJsonWithComments(text, file);
  }
}
