const encoder = /* @__PURE__ */ new TextEncoder();

/** Pure: how many bytes a text takes in UTF-8. */
export function utf8Length(text: string): number {
  return encoder.encode(text).length;
}

/** Pure: whether a text takes more bytes in UTF-8. Encodes it only if its length does not say so. */
export function isLongerThan(text: string, bytes: number): boolean {
  return text.length > bytes || (text.length * 3 > bytes && utf8Length(text) > bytes);
}
