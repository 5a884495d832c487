const KEY =
  /^(?:.*[-_])?(?:authorization|cookie|password|passwd|passphrase|secret|token|(?:api|access|private|secret)[-_]?key|credentials?)$/i;
const CAMEL_KEY =
  /(?:Authorization|Cookie|Password|Passphrase|Secret|Token|(?:Api|Access|Private|Secret)Key|Credentials?)$/;

/** The names of secret parameters, in lower case and without separators. */
const PARAMETER =
  /(?:token|secret|password|passwd|passphrase|pwd|credentials?|authorization|cookie|signature|jwt|(?:access|account|admin|api|app|auth|client|consumer|function|host|license|master|private|secret|service|shared|signing|storage|subscription|user)key)$/;

/** Names that mean something else in code and prose: the key of a map, the code of an error. */
const VAGUE_PARAMETER =
  /^(?:auth|authcode|authorizationcode|clientassertion|code|codeverifier|hmac|key|otp|pass|passcode|sig|ticket|userpass)$/;

const LEVELS = 4;

/** Whether a field, a flag or a variable of this name holds a secret. Pure. */
export function isSecretName(name: string): boolean {
  return KEY.test(name) || CAMEL_KEY.test(name);
}

/**
 * Whether a parameter of this name holds a secret. `vague`: only in what is certainly an address. The name may be
 * percent-encoded. Pure.
 */
export function parameterSecrecy(name: string): "secret" | "vague" | "none" {
  const plain = decoded(name)
    .toLowerCase()
    .replaceAll(/[^a-z\d]/g, "");
  if (PARAMETER.test(plain)) return "secret";
  return VAGUE_PARAMETER.test(plain) ? "vague" : "none";
}

/** A name may be encoded as often as the address that it is in. */
function decoded(name: string): string {
  let plain = name;
  try {
    for (let level = 0; level < LEVELS && plain.includes("%"); level++)
      plain = decodeURIComponent(plain);
  } catch {
    // The rest is not encoded.
  }
  return plain;
}
