/** A UTF-16 unit takes at most this many bytes in UTF-8. */
const MAX_BYTES_PER_UNIT = 3;

export function utf8Length(text: string): number {
  return new TextEncoder().encode(text).length;
}

/** Whether a text takes more than `limit` bytes in UTF-8. Most texts are not encoded to find out. */
export function isLongerThan(text: string, limit: number): boolean {
  if (text.length * MAX_BYTES_PER_UNIT <= limit) return false;
  return text.length > limit || utf8Length(text) > limit;
}
