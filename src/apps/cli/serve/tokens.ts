import type { Stats } from "node:fs";
import { mkdir, open } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { parseTokens, type TokenGrant, findGrant } from "../../../transport/remote/index.ts";
import { stateFolder, hasCode, messageOf, type EnvOverlay } from "../../../base/index.ts";
import { createToken, hashToken } from "../../../transport/wire/index.ts";
import type { Values } from "../shell/parse.ts";
import { usageError } from "../shell/exit.ts";
import type { Io } from "../shell/io.ts";
import { MIB, readGivenFile, UnusableFileError } from "../shell/regular-file.ts";
import { readTokenFile } from "../shell/secret-file.ts";

/** The name of the token in `--token-file`, for logs and as the owner of sessions. */
const TOKEN_FILE_OWNER = "default";

/** A token that is shorter could be guessed. */
const SHORTEST_TOKEN = 32;
const WRITABLE_BY_OTHERS = 0o022;

/**
 * The tokens from `--token-file` and `--tokens`. Without either, from a token file in the state folder. A
 * token file that does not exist is created with a new token, which has every right. Throws a usage error.
 */
export async function serveTokens(values: Values, io: Io) {
  const given = values.text("token-file");
  const list = values.text("tokens");
  const fallback = list === undefined ? join(stateFolder(io), "serve-token") : undefined;
  const tokenFile = given === undefined ? fallback : resolve(io.cwd, given);
  if (tokenFile !== undefined) await createTokenFile(tokenFile);
  const tokens = list === undefined ? undefined : resolve(io.cwd, list);
  const load = async (): Promise<readonly TokenGrant[]> => {
    const grants = tokens === undefined ? [] : await readTokens(tokens, list ?? tokens);
    return tokenFile === undefined
      ? grants
      : withFull(grants, await readTokenFile(tokenFile, io), tokenFile);
  };
  return {
    source: { files: [tokenFile, tokens].filter((file) => file !== undefined), load },
    tokenFile,
  };
}

/** Adds the token that has every right. */
function withFull(
  grants: readonly TokenGrant[],
  token: string,
  file: string,
): readonly TokenGrant[] {
  if (token.length < SHORTEST_TOKEN) {
    throw usageError(
      `the token in ${file} is shorter than ${SHORTEST_TOKEN} characters`,
      "delete the file, and a new token is created",
    );
  }
  if (grants.some(({ name }) => name === TOKEN_FILE_OWNER)) {
    throw usageError(
      `"${TOKEN_FILE_OWNER}" is the name of the token in --token-file: choose another`,
    );
  }
  const full: TokenGrant = {
    name: TOKEN_FILE_OWNER,
    sha256: hashToken(token),
    agents: undefined,
    roots: undefined,
    role: "controller",
    expires: undefined,
  };
  return [full, ...grants];
}

async function readTokens(path: string, name: string): Promise<readonly TokenGrant[]> {
  const options = { maxBytes: MIB, what: "tokens file", check: expectTrustworthy };
  const text = (await readGivenFile(path, name, options)).toString("utf8");
  try {
    return parseTokens(text);
  } catch (error) {
    throw usageError(`${name}: ${messageOf(error)}`);
  }
}

/** Everyone who can write the file can add a token. Windows has no such modes. */
function expectTrustworthy({ mode }: Stats): void {
  if (process.platform === "win32" || (mode & WRITABLE_BY_OTHERS) === 0) return;
  throw new UnusableFileError("can be changed by others, who could add tokens: chmod 600");
}

/** Creates the file with a new token, unless it exists. */
async function createTokenFile(path: string): Promise<void> {
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    const file = await open(path, "wx", 0o600);
    try {
      await file.writeFile(`${createToken()}\n`);
    } finally {
      await file.close();
    }
  } catch (error) {
    if (hasCode(error, "EEXIST")) return;
    throw usageError(`could not create the token file ${path}: ${messageOf(error)}`);
  }
}

/** Removes variables that hold a token of the server. Pure. */
export function withoutTokens(env: EnvOverlay, grants: readonly TokenGrant[]): EnvOverlay {
  const valid = grants.map((grant) => ({ ...grant, expires: undefined }));
  return Object.fromEntries(
    Object.entries(env).map(([name, value]) => {
      const isToken = findGrant(value?.replace(/^bearer\s+/i, "").trim(), valid, 0) !== undefined;
      return [name, isToken ? undefined : value];
    }),
  );
}
