import type { ParamsOf } from "../../../protocol/acp/index.ts";
import { RpcError } from "../../../transport/rpc/index.ts";
import { utf8Length, log, type Logger, messageOf } from "../../../base/index.ts";
import { cancelledError, jailRpcError } from "../rpc-errors.ts";
import { jailErrorFromProvider, JailError } from "../jail/errors.ts";
import { ConcurrencyLimit, untilAborted } from "../async.ts";
import type { GateScope, PermissionJudge } from "../permissions/judge.ts";

import type { ReadRequest, WriteRequest } from "./provider.ts";
import { isVirtual } from "../workspace/virtual-workspace.ts";

const DEFAULT_MAX_READ_BYTES = 16 * 1024 * 1024;

/** An agent may ask for thousands of files at once, and each is held in memory. */
const MAX_CONCURRENT_READS = 16;

/** Longer paths are cut in the log, because an agent may send megabytes. */
const LOGGED_CHARACTERS = 500;

/** Answers `fs/*`. Rejects with RpcError. */
export class FileService {
  readonly #judge: PermissionJudge;
  readonly #logger: Logger | undefined;
  readonly #reads = new ConcurrencyLimit(MAX_CONCURRENT_READS);

  constructor(judge: PermissionJudge, logger: Logger | undefined) {
    this.#judge = judge;
    this.#logger = logger;
  }

  async read(
    scope: GateScope,
    params: ParamsOf["fs/read_text_file"],
    signal: AbortSignal,
  ): Promise<{ content: string }> {
    const method = "fs/read_text_file";
    const { id: sessionId, access } = scope.session;
    if (!access.files.read) throw RpcError.methodNotFound(method);
    const content = await this.#logged(method, sessionId, params.path, async () => {
      const path = await access.workspace.locate(params.path, "read", scope.signals);
      await this.#judge.permit(scope, { type: "read_file", path });
      const window = { line: params.line ?? undefined, limit: params.limit ?? undefined };
      const request = { sessionId, path, ...window, ...scope.meta, signal };
      return textOrEmpty(scope, params.path, () => this.#read(scope, params.path, request));
    });
    return { content };
  }

  async write(
    scope: GateScope,
    params: ParamsOf["fs/write_text_file"],
    signal: AbortSignal,
  ): Promise<Record<string, never>> {
    const method = "fs/write_text_file";
    const { id: sessionId, access } = scope.session;
    if (!access.files.write) throw RpcError.methodNotFound(method);
    const { content } = params;
    await this.#logged(method, sessionId, params.path, async () => {
      const path = await access.workspace.locate(params.path, "write", scope.signals);
      await this.#judge.permit(scope, { type: "write_file", path, content });
      await write(scope, params.path, { sessionId, path, content, ...scope.meta, signal });
      return content;
    });
    return {};
  }

  #read(scope: GateScope, path: string, request: ReadRequest): Promise<string> {
    const { fs, workspace } = scope.session.access;
    const limits = {
      maxBytes: fs.maxReadBytes ?? DEFAULT_MAX_READ_BYTES,
      signals: scope.signals,
    };
    const read = (): Promise<string> => workspace.read(path, request, limits);
    const { provider } = fs;
    if (isVirtual(provider)) return read();
    const disk = (): Promise<string> => textOrEmpty(scope, path, () => this.#reads.run(read));
    if (!provider?.readTextFile) return disk();
    return unlessCancelled(scope, async () => provider.readTextFile?.(request, disk) ?? disk());
  }

  /** Logs the path, byte count and error, but never the content. */
  async #logged(
    method: string,
    sessionId: string,
    path: string,
    work: () => Promise<string>,
  ): Promise<string> {
    const fields = { sessionId, path: path.slice(0, LOGGED_CHARACTERS) };
    try {
      const content = await work();
      if (this.#logger) {
        log(this.#logger, "info", method, { ...fields, bytes: utf8Length(content) });
      }
      return content;
    } catch (caught) {
      const error = jailErrorFromProvider(path, caught);
      const reason = error instanceof JailError ? error.reason : undefined;
      const message = messageOf(error);
      log(this.#logger, "warn", `${method} failed`, { ...fields, reason, error: message });
      throw error instanceof JailError ? jailRpcError(error) : error;
    }
  }
}

async function write(scope: GateScope, path: string, request: WriteRequest): Promise<void> {
  const { fs, workspace } = scope.session.access;
  const disk = (): Promise<void> => workspace.write(path, request, scope.signals);
  const { provider } = fs;
  if (isVirtual(provider) || !provider?.writeTextFile) return disk();
  await unlessCancelled(scope, async () => provider.writeTextFile?.(request, disk));
}

/** The text of a file. If it is missing, an empty text where the host wants that. */
async function textOrEmpty(
  { session }: GateScope,
  path: string,
  read: () => Promise<string>,
): Promise<string> {
  try {
    return await read();
  } catch (caught) {
    const error = jailErrorFromProvider(path, caught);
    const isMissing = error instanceof JailError && error.reason === "not-found";
    if (isMissing && session.access.fs.missingFile === "empty") return "";
    throw error;
  }
}

/** A provider that never answers must not outlast the turn. */
async function unlessCancelled<T>({ signals }: GateScope, work: () => Promise<T>): Promise<T> {
  const outcome = await untilAborted(signals, work);
  if (outcome.aborted) throw cancelledError();
  return outcome.value;
}
