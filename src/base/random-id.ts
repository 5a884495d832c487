/** A random UUID. Browsers have `randomUUID` only on secure pages, and `getRandomValues` on all. */
export function randomId(): string {
  return "randomUUID" in crypto ? crypto.randomUUID() : uuidOf(new Uint8Array(16));
}

/** A UUID of version 4, from random bytes. */
function uuidOf(bytes: Uint8Array<ArrayBuffer>): string {
  crypto.getRandomValues(bytes);
  const marked = bytes.map((byte, index) => {
    if (index === 6) return (byte & 0x0f) | 0x40;
    return index === 8 ? (byte & 0x3f) | 0x80 : byte;
  });
  const hex = Array.from(marked, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}
