import { timingSafeEqual } from "node:crypto";
import {
  DragomanError,
  isJsonObject,
  isStringList,
  type JsonObject,
  parseJson,
} from "../../../base/index.ts";
import { hashToken } from "../../wire/index.ts";

/** The rights of a client in a session: to prompt and answer questions, or only to watch. */
export type SessionRole = "controller" | "observer";

/** A token, as a tokens file describes it. The token itself is not in the file. */
export interface TokenGrant {
  /** Names the token in logs. */
  readonly name: string;
  /** The SHA-256 of the token, in lower-case hexadecimal. */
  readonly sha256: string;
  /** The agents that it may use, by name. Undefined: all. */
  readonly agents?: readonly string[] | undefined;
  /** The roots that it may work in, by name. Undefined: all. */
  readonly roots?: readonly string[] | undefined;
  /** The role that it may have in a session. */
  readonly role: SessionRole;
  /** Whose sessions it uses, on a gateway of a fleet. Default: its own, by its name. */
  readonly tenant?: string | undefined;
  /** When it stops working, in milliseconds since 1970. Undefined: never. */
  readonly expires?: number | undefined;
}

/** A tokens file cannot be used. The message names the field, and never a token. */
export class TokensFileError extends DragomanError {
  override readonly name = "TokensFileError";
  /** The path of the field, such as `tokens[0].sha256`; empty for the whole file. */
  readonly field: string;

  constructor(field: string, problem: string) {
    super("invalid_argument", `${field === "" ? "the tokens file" : field} ${problem}`);
    this.field = field;
  }
}

/**
 * Pure: parses a tokens file, `{"version":1,"tokens":[{"name","sha256","agents","roots","role","tenant","expires"}]}`.
 * `expires` is an ISO date. Throws TokensFileError, also for unknown fields, which may be misspelt limits.
 */
export function parseTokens(text: string): readonly TokenGrant[] {
  const file = parsed(text);
  expectFields(file, "", ["version", "tokens"]);
  if (file["version"] !== 1) throw new TokensFileError("version", "must be 1");
  const tokens = file["tokens"];
  if (!Array.isArray(tokens)) throw new TokensFileError("tokens", "must be an array");
  const items: readonly unknown[] = tokens;
  const grants = items.map((item, index) => grantOf(item, `tokens[${index}]`));
  for (const key of ["name", "sha256"] as const) {
    const seen = new Set<string>();
    for (const [index, grant] of grants.entries()) {
      if (seen.has(grant[key])) {
        throw new TokensFileError(`tokens[${index}].${key}`, "is used twice");
      }
      seen.add(grant[key]);
    }
  }
  return grants;
}

/**
 * Pure: the grant of a token; undefined for an unknown or expired one. All grants are compared, each in
 * constant time over its hash, so the duration reveals nothing about the tokens.
 */
export function findGrant(
  token: string | undefined,
  grants: readonly TokenGrant[],
  now: number,
): TokenGrant | undefined {
  if (token === undefined) return undefined;
  const hash = Buffer.from(hashToken(token), "hex");
  let found: TokenGrant | undefined;
  for (const grant of grants) {
    const isSame = timingSafeEqual(hash, Buffer.from(grant.sha256, "hex"));
    if (isSame && (grant.expires === undefined || now < grant.expires)) found = grant;
  }
  return found;
}

function parsed(text: string): JsonObject {
  const value = parseJson(text);
  // The parser's message quotes the file.
  if (value === undefined) throw new TokensFileError("", "is not valid JSON");
  if (!isJsonObject(value)) throw new TokensFileError("", "must be an object");
  return value;
}

const GRANT_FIELDS = ["name", "sha256", "agents", "roots", "role", "tenant", "expires"];

function grantOf(value: unknown, at: string): TokenGrant {
  if (!isJsonObject(value)) throw new TokensFileError(at, "must be an object");
  expectFields(value, at, GRANT_FIELDS);
  const { name, sha256, role = "controller", tenant, expires } = value;
  if (typeof name !== "string" || name.trim() === "") {
    throw new TokensFileError(`${at}.name`, "must be a name");
  }
  if (typeof sha256 !== "string" || !/^[\da-f]{64}$/i.test(sha256)) {
    throw new TokensFileError(`${at}.sha256`, "must be 64 hexadecimal digits");
  }
  if (role !== "controller" && role !== "observer") {
    throw new TokensFileError(`${at}.role`, 'must be "controller" or "observer"');
  }
  if (tenant !== undefined && (typeof tenant !== "string" || tenant.trim() === "")) {
    throw new TokensFileError(`${at}.tenant`, "must be a name");
  }
  return {
    name,
    ...(tenant === undefined ? {} : { tenant }),
    sha256: sha256.toLowerCase(),
    agents: namesIn(value, "agents", at),
    roots: namesIn(value, "roots", at),
    role,
    expires: expires === undefined ? undefined : timeOf(expires, `${at}.expires`),
  };
}

function namesIn(value: JsonObject, key: string, at: string): readonly string[] | undefined {
  const names = value[key];
  if (names === undefined) return undefined;
  if (!isStringList(names)) throw new TokensFileError(`${at}.${key}`, "must be an array of names");
  return names;
}

/** A date that cannot be read must not mean "never". */
function timeOf(value: unknown, at: string): number {
  const time = typeof value === "string" ? Date.parse(value) : Number.NaN;
  if (Number.isNaN(time))
    throw new TokensFileError(at, "must be a date such as 2030-01-31T00:00:00Z");
  return time;
}

function expectFields(value: JsonObject, at: string, known: readonly string[]): void {
  for (const key of Object.keys(value)) {
    if (known.includes(key)) continue;
    throw new TokensFileError(at === "" ? key : `${at}.${key}`, "is not a known field");
  }
}
