import { messageOf } from "../../../../base/index.ts";
import { createHash } from "node:crypto";
import { createWriteStream } from "node:fs";
import { resolve } from "node:path";
import { Readable, Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { CliError, usageError } from "../../shell/exit.ts";
import type { Io } from "../../shell/io.ts";
import { MIB, readGivenFile } from "../../shell/regular-file.ts";
import { parseJson } from "../../settings/files.ts";
import { isSafeAddress } from "./plan.ts";

const MAX_REGISTRY_BYTES = 16 * MIB;
const MAX_ARCHIVE_BYTES = 2048 * MIB;

/** Reads a registry from a file or an address. Throws a CliError if it cannot be read. */
export async function readRegistry(
  from: string,
  io: Pick<Io, "cwd">,
  signal: AbortSignal,
): Promise<unknown> {
  if (!/^https?:\/\//i.test(from)) {
    const limits = { maxBytes: MAX_REGISTRY_BYTES, what: "registry file" };
    const bytes = await readGivenFile(resolve(io.cwd, from), from, limits);
    return parseJson(bytes.toString("utf8"), from);
  }
  const chunks: Buffer[] = [];
  for await (const chunk of await body(from, MAX_REGISTRY_BYTES, signal)) chunks.push(chunk);
  return parseJson(Buffer.concat(chunks).toString("utf8"), from);
}

/** Saves an address to a file. Resolves with the SHA-256 of the file, in hexadecimal. */
export async function download(url: string, file: string, signal: AbortSignal): Promise<string> {
  const hash = createHash("sha256");
  const hashing = new Transform({
    transform: (chunk: Buffer, _encoding, done) => {
      hash.update(chunk);
      done(undefined, chunk);
    },
  });
  await pipeline(await body(url, MAX_ARCHIVE_BYTES, signal), hashing, createWriteStream(file));
  return hash.digest("hex");
}

/** Downloads an address. Throws a CliError if that fails, or if there are more bytes than allowed. */
async function body(url: string, maxBytes: number, signal: AbortSignal): Promise<Readable> {
  if (!isSafeAddress(url)) throw usageError(`${url} is not an https address`);
  const fail = (problem: string): never => {
    throw new CliError("agentError", { what: `could not load ${url}: ${problem}` });
  };
  const response = await fetch(url, { signal }).catch((error: unknown) => fail(reasonOf(error)));
  if (!isSafeAddress(response.url)) fail(`it leads to ${response.url}`);
  if (!response.ok) fail(`the server answered ${response.status}`);
  if (response.body === null) return fail("the answer is empty");
  let bytes = 0;
  const limited = new Transform({
    transform: (chunk: Buffer, _encoding, done) => {
      bytes += chunk.length;
      if (bytes <= maxBytes) return done(undefined, chunk);
      const what = `could not load ${url}: it is larger than ${maxBytes / MIB} MiB`;
      done(new CliError("agentError", { what }));
    },
  });
  Readable.fromWeb(response.body)
    .on("error", (error) => limited.destroy(error))
    .pipe(limited);
  return limited;
}

/** `fetch` says only that it failed; its cause has the reason. */
function reasonOf(error: unknown): string {
  return error instanceof Error && error.cause !== undefined
    ? messageOf(error.cause)
    : messageOf(error);
}
