/** The bytes of base64 text; none if it is not base64. Each piece of a terminal's output is encoded alone. */
export function bytesOf(data: string | undefined): Uint8Array {
  if (data === undefined) return new Uint8Array();
  try {
    return Uint8Array.from(atob(data), (char) => char.charCodeAt(0));
  } catch {
    return new Uint8Array();
  }
}

/** How many bytes are converted at a time: a call takes a limited number of arguments. */
const CHUNK_BYTES = 0x8000;

/** The base64 text of bytes. */
export function base64Of(bytes: Uint8Array): string {
  let binary = "";
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES)
    binary += String.fromCharCode(...bytes.subarray(at, at + CHUNK_BYTES));
  return btoa(binary);
}
