import type {
  ReadRequest,
  VirtualFsProvider,
  WriteRequest,
  FsProvider,
} from "../providers/provider.ts";
import { isLongerThan, messageOf } from "../../../base/index.ts";
import { isAbsolutePath } from "../../../protocol/acp/index.ts";
import { pathStyle, type PathStyle, isWithin } from "../../paths.ts";
import { InvalidArgumentError } from "../../errors.ts";
import { cancelledError } from "../rpc-errors.ts";
import { jailErrorFromProvider, JailError } from "../jail/errors.ts";
import { cleanPath } from "../jail/clean-path.ts";
import { untilAborted } from "../async.ts";

/** Why a path is used. */
export type Purpose = "read" | "write";

/** A folder to run a command in. The caller releases it. */
export interface OpenedFolder {
  /** Its path, with all links resolved. */
  readonly path: string;
  /** The working folder for the code that starts the command. */
  readonly entry: string;
  release(): Promise<void>;
}

/** The signals after which a result is no longer needed. */
export type Signals = readonly AbortSignal[];

/**
 * The folders of one session, wherever they are. Every path is resolved through all links and kept
 * inside the session's roots. Methods that take a path reject with JailError, and if a provider has the
 * files, with its own errors or, once a signal is aborted, with the RpcError for a cancelled request.
 */
export interface Workspace {
  readonly readsOutside: boolean;
  /**
   * Fixes the real places of the roots. Must be done before the agent learns of them. Resolves with the
   * real paths of those that can be used.
   */
  pin(signals?: Signals): Promise<readonly string[]>;
  /** The real path of a file that exists, or that could be created at this path. */
  locate(path: string, purpose: Purpose, signals: Signals): Promise<string>;
  /** The real path of any path, and whether it lies inside a root. It grants nothing. */
  whereIs(path: string, signals: Signals): Promise<{ realPath: string; isInside: boolean }>;
  /**
   * Reads text. `path` is the path that the agent sent, and that of the request is the real path from
   * `locate` for which permission was given. Rejects with `changed` if one no longer leads to the other.
   */
  read(path: string, request: ReadRequest, limits: ReadLimits): Promise<string>;
  /** Replaces a file, or creates it. The paths are those of `read`. */
  write(path: string, request: WriteRequest, signals: Signals): Promise<void>;
  /** Opens a folder to run a command in. `expected` is its real path from `locate`. */
  folder(path: string, expected: string, signals: Signals): Promise<OpenedFolder>;
}

/** Ends a read that takes too much or too long. */
export interface ReadLimits {
  readonly maxBytes: number;
  readonly signals: Signals;
}

/** How a workspace treats its paths. */
export interface WorkspaceOptions {
  /** Lets reads, and the working folders of commands, leave the workspace. Writes never do. */
  readonly allowReadOutsideWorkspace?: boolean | undefined;
}

/**
 * The folders of a session in the file system of a provider. It applies the rules of the jail to the
 * paths that the provider's `realpath` returns, and never touches this disk.
 */
export class VirtualWorkspace implements Workspace {
  readonly readsOutside: boolean;
  readonly #roots: readonly string[];
  readonly #provider: VirtualFsProvider;
  readonly #style: PathStyle;
  #pinned: Promise<readonly string[]> | undefined;

  constructor(roots: readonly string[], provider: VirtualFsProvider, options: WorkspaceOptions) {
    // A name that stands for a folder of a server cannot be compared with paths.
    this.#roots = roots.filter((root) => isAbsolutePath(root));
    this.#provider = provider;
    this.#style = pathStyle(this.#roots[0] ?? "/");
    this.readsOutside = options.allowReadOutsideWorkspace === true;
  }

  /**
   * Rejects with InvalidArgumentError if a root cannot be resolved. To try again later would be too
   * late: by then, the agent may have put a link in its place.
   */
  async pin(signals: Signals = []): Promise<readonly string[]> {
    try {
      return await this.#places(signals);
    } catch (error) {
      if (signals.some((signal) => signal.aborted)) return [];
      throw new InvalidArgumentError(
        `the file provider cannot resolve the session's folders: ${causeOf(error)}`,
      );
    }
  }

  async locate(path: string, purpose: Purpose, signals: Signals): Promise<string> {
    const clean = cleanPath(path, this.#style);
    const places = await this.#places(signals);
    const real = await this.#resolve(path, clean, signals).catch((error: unknown) => {
      // A missing file needs permission too before the agent learns that it is missing.
      if (purpose === "read" && isMissing(error)) return clean;
      throw isMissing(error) && !this.#isIn(places, clean) ? new JailError("outside", path) : error;
    });
    const mayLeave = purpose === "read" && this.readsOutside;
    if (!mayLeave && !this.#isIn(places, real)) throw new JailError("outside", path);
    return real;
  }

  async whereIs(path: string, signals: Signals): Promise<{ realPath: string; isInside: boolean }> {
    const realPath = await this.#resolve(path, cleanPath(path, this.#style), signals);
    return { realPath, isInside: this.#isIn(await this.#places(signals), realPath) };
  }

  async read(path: string, request: ReadRequest, limits: ReadLimits): Promise<string> {
    await this.#confirm(path, request.path, limits.signals);
    const text = await this.#call(path, limits.signals, async (signal) =>
      this.#provider.readTextFile?.({ ...request, signal }, noDisk),
    );
    if (typeof text !== "string") throw new TypeError("the file provider returned no text");
    if (isLongerThan(text, limits.maxBytes)) throw new JailError("too-large", path);
    return text;
  }

  async write(path: string, request: WriteRequest, signals: Signals): Promise<void> {
    await this.#confirm(path, request.path, signals);
    await this.#call(path, signals, async (signal) =>
      this.#provider.writeTextFile?.({ ...request, signal }, noDisk),
    );
  }

  async folder(path: string, expected: string, signals: Signals): Promise<OpenedFolder> {
    await this.#confirm(path, expected, signals);
    return { path: expected, entry: expected, release: async () => {} };
  }

  /** A link may have been put in place of the file while a person was asked. */
  async #confirm(path: string, expected: string, signals: Signals): Promise<void> {
    const real = await this.#resolve(path, cleanPath(path, this.#style), signals);
    if (real !== expected) throw new JailError("changed", path);
  }

  /** Resolves a clean path. Rejects with JailError `failed` if the provider's answer is not a path. */
  async #resolve(path: string, clean: string, signals: Signals): Promise<string> {
    const real: unknown = await this.#call(path, signals, async (signal) =>
      this.#provider.realpath(clean, { signal }),
    );
    try {
      return cleanPath(String(real), this.#style);
    } catch (cause) {
      throw new JailError("failed", path, cause);
    }
  }

  async #call<T>(
    path: string,
    signals: Signals,
    work: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const outcome = await untilAborted(signals, work).catch((error: unknown) => {
      throw jailErrorFromProvider(path, error);
    });
    if (outcome.aborted) throw cancelledError();
    return outcome.value;
  }

  #places(signals: Signals): Promise<readonly string[]> {
    this.#pinned ??= Promise.all(this.#roots.map((root) => this.#place(root, signals)));
    return this.#pinned;
  }

  /** A root that does not exist yet keeps its name. If it becomes a link later, it leads outside. */
  async #place(root: string, signals: Signals): Promise<string> {
    const clean = cleanPath(root, this.#style);
    return this.#resolve(root, clean, signals).catch((error: unknown) => {
      if (isMissing(error)) return clean;
      throw error;
    });
  }

  #isIn(places: readonly string[], real: string): boolean {
    return places.some((place) => isWithin(real, place, this.#style));
  }
}

/** The words of the provider. The application may see them, unlike an agent. */
function causeOf(error: unknown): string {
  const cause = error instanceof JailError && error.cause !== undefined ? error.cause : error;
  return messageOf(cause);
}

function isMissing(error: unknown): boolean {
  return error instanceof JailError && error.reason === "not-found";
}

/** Providers of both kinds get the same arguments, so that TypeScript infers them for either kind. */
async function noDisk(): Promise<never> {
  throw new Error("the file is not on this disk");
}

export function isVirtual(
  provider: FsProvider | VirtualFsProvider | undefined,
): provider is VirtualFsProvider {
  return provider?.realpath !== undefined;
}
