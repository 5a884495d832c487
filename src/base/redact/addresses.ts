/** The names of secret parameters, in lower case and without separators. */
const PARAMETER =
  /(?:token|secret|password|passwd|passphrase|pwd|credentials?|authorization|cookie|signature|jwt|(?:access|account|admin|api|app|auth|client|consumer|function|host|license|master|private|secret|service|shared|signing|storage|subscription|user)key)$/;

/** Names that mean something else in code and prose: the key of a map, the code of an error. */
const VAGUE_PARAMETER =
  /^(?:auth|authcode|authorizationcode|clientassertion|code|codeverifier|hmac|key|otp|pass|passcode|sig|ticket|userpass)$/;

const ENCODING_LEVELS = 4;

/**
 * Whether a parameter of this name holds a secret. `vague`: only in what is certainly an address. The name may be
 * percent-encoded. Pure.
 */
function parameterSecrecy(name: string): "secret" | "vague" | "none" {
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
    for (let level = 0; level < ENCODING_LEVELS && plain.includes("%"); level++)
      plain = decodeURIComponent(plain);
  } catch {
    // The rest is not encoded.
  }
  return plain;
}

/** Returns the text that takes the place of a secret. */
type Replace = (secret: string) => string;

/** `scheme://user:PASSWORD@host`. Slashes may be escaped. */
const PASSWORD = /(:(?:\\{0,7}\/){2}[^\s/?#@:"'`<>\\]{0,256}:)([^\s/?#"'`<>\\]{1,1024})@/g;

/** `scheme://TOKEN@host`, also with a password that says that the user is a token. */
const TOKEN = /(:(?:\\{0,7}\/){2})([\w-]{20,})(?=(?::(?:x-oauth-basic)?)?@)/g;

/** How parameters are written. */
interface Spelling {
  /** What separates a parameter from the one before, its name, and what separates that from the value. */
  readonly begin: RegExp;
  readonly value: RegExp;
}

/** `&name=value`, also inside a string of JSON. */
const PLAIN: Spelling = {
  begin: /([?&#;]|\\{1,7}u00(?:26|3[fF]|23))([\w.~%+[\]-]{1,64})(?:=|\\{1,7}u003[dD])/g,
  value: /(?:[^\s&#"'`<>\\]|\\{1,7}\/)+/y,
};

/** The same in an address that is the value of a parameter, and therefore encoded once or more. */
const ENCODED: Spelling = {
  begin:
    /(%(?:25){0,3}(?:3[fF]|26|23))((?:[\w.~+-]|%(?!(?:25){0,3}(?:3[dDfF]|26|23))[\da-fA-F]{2}){1,64})%(?:25){0,3}3[dD]/g,
  value: /(?:[^\s&#"'`<>\\%]|%(?!(?:25){0,3}(?:26|23))[\da-fA-F]{2})+/y,
};

const BOUNDARY = /[\s"'`<>]/;
const ADDRESS =
  /:(?:\\{0,7}\/){2}|^[([{]{0,8}(?:[\w-]{1,64}(?:\.[\w-]{1,64}){1,8}(?::\d{1,5})?)?\\{0,7}\//;

/** Prose or code around an address. */
const PUNCTUATION = /(?<![)\]},.;:!?*])[)\]},.;:!?*]+$/;

/** A comparison, a pattern, or a variable that code puts in: `${token}`, `{token}`, `%s`, `...`. */
const NOT_A_VALUE = /^(?:[=([{*|]|\$[({A-Za-z_]|%[sd](?![\da-fA-F])|\.\.\.)/;

/**
 * Replaces the secrets in the addresses of a text: passwords, tokens in place of a user, and the values of
 * parameters that are named like a secret. Pure, if `replace` is.
 */
export function replaceInAddresses(text: string, replace: Replace): string {
  let clean = text;
  if (clean.includes("@")) {
    const hide = (_: string, start: string, secret: string): string => start + replace(secret);
    clean = clean
      .replace(TOKEN, hide)
      .replace(PASSWORD, (...match: [string, string, string]) => `${hide(...match)}@`);
  }
  if (clean.includes("=")) clean = replaceParameters(clean, PLAIN, replace);
  if (clean.includes("%")) clean = replaceParameters(clean, ENCODED, replace);
  return clean;
}

/** The secrets that {@link replaceInAddresses} replaces. Pure. */
export function secretsInAddresses(text: string): readonly string[] {
  const secrets: string[] = [];
  replaceInAddresses(text, (secret) => {
    secrets.push(secret);
    return secret;
  });
  return secrets;
}

function replaceParameters(text: string, { begin, value }: Spelling, replace: Replace): string {
  const isInAddress = addressFinder(text);
  let clean = "";
  let done = 0;
  let end = 0;
  for (const { 0: all, 1: separator = "", 2: name = "", index } of text.matchAll(begin)) {
    const secrecy = parameterSecrecy(name);
    // A value may look like further parameters.
    if (secrecy === "none" || index < done) continue;
    const start = index + all.length;
    value.lastIndex = start;
    // What looks like parameters inside of a value ends with it.
    if (start >= end) end = start + (value.exec(text)?.[0].length ?? 0);
    const isList = separator === ";" && !text.endsWith("&amp", index);
    const next = isList ? text.indexOf(";", start) : -1;
    const found = text.slice(start, next === -1 ? end : Math.min(next, end));
    if (NOT_A_VALUE.test(found)) continue;
    const isCertain = separator.startsWith("%") || isInAddress(index);
    if (!isCertain && (isList || !isLikely(text.charAt(index - 1), secrecy, found))) continue;
    const secret = found.replace(PUNCTUATION, "");
    if (secret === "") continue;
    clean += text.slice(done, start) + replace(secret);
    done = start + secret.length;
  }
  return clean + text.slice(done);
}

/**
 * Says of positions in ascending order whether each is inside an address: after a scheme, or in a path at the
 * start of a word. Every character is looked at once.
 */
function addressFinder(text: string): (position: number) => boolean {
  let seen = 0;
  let isAddress = false;
  return (position) => {
    let start = position;
    while (start > seen && !BOUNDARY.test(text.charAt(start - 1))) start--;
    const isContinued = start === seen && seen > 0 && isAddress;
    isAddress = isContinued || ADDRESS.test(text.slice(start, position));
    seen = position;
    return isAddress;
  };
}

/** The length of a value that is random rather than a word. */
const LONG = 20;

/** Whether a text has capitals, small letters and digits, unlike a commit id or a path. Pure. */
export function isMixed(text: string): boolean {
  return /[a-z]/.test(text) && /[A-Z]/.test(text) && /\d/.test(text);
}

/** Whether a parameter outside of an address belongs to the rest of one, or to a form. */
function isLikely(before: string, secrecy: string, value: string): boolean {
  if (!/^$|[\w%/.~*+;\s"'`<>-]/.test(before)) return false;
  return secrecy === "secret" || (value.length >= LONG && isMixed(value.slice(0, 5 * LONG)));
}
