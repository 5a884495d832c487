/** The bytes of base64 text; none if it is not base64. Each piece of a terminal's output is encoded alone. */
export function bytesOf(data: string | undefined): Uint8Array {
  if (data === undefined) return new Uint8Array();
  try {
    return Uint8Array.from(atob(data), (char) => char.charCodeAt(0));
  } catch {
    return new Uint8Array();
  }
}

export function base64Of(bytes: Uint8Array): string {
  let binary = "";
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary);
}
