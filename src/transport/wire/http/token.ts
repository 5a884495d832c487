import { createHash, randomBytes, timingSafeEqual } from "node:crypto";

/** A new random token with 256 bits, for a file that only its owner can read. */
export function createToken(): string {
  return randomBytes(32).toString("base64url");
}

/** Pure: the SHA-256 of a token, in lower-case hexadecimal. */
export function hashToken(token: string): string {
  return createHash("sha256").update(token).digest("hex");
}

/** A secret that only the clients of one server know. */
export class ServerToken {
  readonly value = createToken();
  readonly #hash = Buffer.from(hashToken(this.value));

  /** Whether a given text is the token. Takes the same time for every text of the same length. */
  matches(given: string): boolean {
    return timingSafeEqual(Buffer.from(hashToken(given)), this.#hash);
  }
}
