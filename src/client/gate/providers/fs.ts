import type { ParamsOf } from "../../../acp/index.ts";
import { log, type Logger } from "../../../wire/index.ts";
import { cancelledError, jailRpcError } from "../errors.ts";
import { JailError } from "../jail/errors.ts";
import { ConcurrencyLimit } from "../jail/concurrency-limit.ts";
import type { GateScope, PermissionJudge } from "../permissions/judge.ts";
import { untilAborted } from "../until-aborted.ts";
import { decodeText, readWindow, type LineWindow } from "./text-window.ts";

/** A file to read. The path has all links resolved and may be read. */
export interface ReadRequest extends LineWindow {
  readonly sessionId: string;
  readonly path: string;
  readonly signal: AbortSignal;
}

/** A file to write, which may not exist yet. The path has all links resolved and may be written. */
export interface WriteRequest {
  readonly sessionId: string;
  readonly path: string;
  readonly content: string;
  readonly signal: AbortSignal;
}

/**
 * Handles files before the disk does, for hosts with unsaved text or files of their own. Paths have
 * passed the jail and the policy. `disk` does what would happen without the provider.
 */
export interface FsProvider {
  readonly readTextFile?:
    | ((request: ReadRequest, disk: () => Promise<string>) => Promise<string> | string)
    | undefined;
  readonly writeTextFile?:
    | ((request: WriteRequest, disk: () => Promise<void>) => Promise<void> | void)
    | undefined;
}

export interface FsOptions {
  readonly provider?: FsProvider | undefined;
  /**
   * The answer for a missing file: an error, as the protocol says, or an empty text. Gemini CLI (seen
   * in 0.61.0) can create files only with the latter.
   */
  readonly missingFile?: "error" | "empty" | undefined;
  /** The most bytes to read at once. Default: 16 MiB. */
  readonly maxReadBytes?: number | undefined;
}

export const DEFAULT_MAX_READ_BYTES = 16 * 1024 * 1024;

/** An agent may ask for thousands of files at once, and each is held in memory. */
const MAX_CONCURRENT_READS = 16;

/** Longer paths are cut in the log, because an agent may send megabytes. */
const LOGGED_CHARACTERS = 500;

/** Answers `fs/*`. Rejects with RpcError. */
export class FileService {
  readonly #judge: PermissionJudge;
  readonly #options: FsOptions;
  readonly #logger: Logger | undefined;
  readonly #reads = new ConcurrencyLimit(MAX_CONCURRENT_READS);

  constructor(judge: PermissionJudge, options: FsOptions, logger: Logger | undefined) {
    this.#judge = judge;
    this.#options = options;
    this.#logger = logger;
  }

  async read(
    scope: GateScope,
    signal: AbortSignal,
    params: ParamsOf["fs/read_text_file"],
  ): Promise<{ content: string }> {
    const sessionId = scope.session.id;
    const content = await this.#logged("fs/read_text_file", sessionId, params.path, async () => {
      const path = await scope.jail.locate(params.path, "read");
      await this.#judge.permit(scope, { type: "read_file", path });
      const window = { line: params.line ?? undefined, limit: params.limit ?? undefined };
      const disk = (): Promise<string> =>
        this.#reads.run(() => this.#readFromDisk(scope, params.path, path, window));
      const provider = this.#options.provider;
      if (!provider?.readTextFile) return disk();
      const request = { sessionId, path, ...window, signal };
      return unlessCancelled(scope, async () => provider.readTextFile?.(request, disk) ?? disk());
    });
    return { content };
  }

  async write(
    scope: GateScope,
    signal: AbortSignal,
    params: ParamsOf["fs/write_text_file"],
  ): Promise<Record<string, never>> {
    const sessionId = scope.session.id;
    const { content } = params;
    await this.#logged("fs/write_text_file", sessionId, params.path, async () => {
      const path = await scope.jail.locate(params.path, "write");
      await this.#judge.permit(scope, { type: "write_file", path, content });
      const disk = (): Promise<void> =>
        scope.jail.replace(params.path, Buffer.from(content, "utf8"), path);
      const { provider } = this.#options;
      const request = { sessionId, path, content, signal };
      if (!provider?.writeTextFile) await disk();
      else await unlessCancelled(scope, async () => provider.writeTextFile?.(request, disk));
      return content;
    });
    return {};
  }

  async #readFromDisk(
    { jail, signals }: GateScope,
    path: string,
    realPath: string,
    window: LineWindow,
  ): Promise<string> {
    const maxBytes = this.#options.maxReadBytes ?? DEFAULT_MAX_READ_BYTES;
    const opened = await jail.open(path, realPath).catch((error: unknown) => {
      if (!(error instanceof JailError) || error.reason !== "not-found") throw error;
      if (this.#options.missingFile !== "empty") throw error;
    });
    if (!opened) return "";
    try {
      if (window.limit === undefined && window.line === undefined && opened.size > maxBytes) {
        throw new JailError("too-large", path);
      }
      const bytes = await readWindow(opened.handle, path, window, maxBytes, signals);
      return decodeText(bytes, path);
    } finally {
      await opened.handle.close();
    }
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
      log(this.#logger, "info", method, { ...fields, bytes: Buffer.byteLength(content) });
      return content;
    } catch (error) {
      const reason = error instanceof JailError ? error.reason : undefined;
      const message = error instanceof Error ? error.message : String(error);
      log(this.#logger, "warn", `${method} failed`, { ...fields, reason, error: message });
      throw error instanceof JailError ? jailRpcError(error) : error;
    }
  }
}

/** A provider that never answers must not outlast the turn. */
async function unlessCancelled<T>({ signals }: GateScope, work: () => Promise<T>): Promise<T> {
  const outcome = await untilAborted(signals, work);
  if (outcome.aborted) throw cancelledError();
  return outcome.value;
}
