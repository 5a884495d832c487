import { createPrivateKey, X509Certificate } from "node:crypto";
import { toError } from "../../../base/index.ts";
import type { TlsCredentials } from "./options.ts";

/** A certificate cannot be used, or does not belong to its key. */
export class CredentialsError extends Error {
  override readonly name = "CredentialsError";
}

/**
 * Throws a CredentialsError unless the certificate belongs to the key. TLS itself accepts empty texts, such
 * as those of files that are just being written, and then fails for every client.
 */
export function checkCredentials({ cert, key }: TlsCredentials): void {
  let isPair: boolean;
  try {
    isPair = new X509Certificate(cert).checkPrivateKey(createPrivateKey(key));
  } catch (error) {
    throw new CredentialsError(
      `the certificate or its key is not valid: ${toError(error).message}`,
    );
  }
  if (!isPair) throw new CredentialsError("the certificate does not belong to the key");
}
