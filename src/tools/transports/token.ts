import { createHash, randomBytes, timingSafeEqual } from "node:crypto";

/** A secret that only the client of one server knows. */
export class ServerToken {
  readonly value = randomBytes(32).toString("base64url");
  readonly #digest = digestOf(this.value);

  /** Whether a given text is the token. Takes the same time for every text of the same length. */
  matches(given: string): boolean {
    return timingSafeEqual(digestOf(given), this.#digest);
  }
}

function digestOf(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
