import type { RequestMeta } from "../request-meta.ts";
import type { LineWindow } from "./line-window.ts";

/** A file to read. The path has all links resolved and may be read. */
export interface ReadRequest extends LineWindow, RequestMeta {
  readonly sessionId: string;
  readonly path: string;
  /** Aborted when the text is no longer needed. */
  readonly signal: AbortSignal;
}

/** A file to write, which may not exist yet. The path has all links resolved and may be written. */
export interface WriteRequest extends RequestMeta {
  readonly sessionId: string;
  readonly path: string;
  readonly content: string;
  /** Aborted when the agent withdraws the request. */
  readonly signal: AbortSignal;
}

/** Reads a file. `disk` reads it as if there was no provider, and rejects if it is not on this disk. */
export type ReadFile = (
  request: ReadRequest,
  disk: () => Promise<string>,
) => Promise<string> | string;

/** Writes a file. `disk` writes it as if there was no provider, and rejects if it is not on this disk. */
export type WriteFile = (request: WriteRequest, disk: () => Promise<void>) => Promise<void> | void;

/**
 * Handles files before the disk does, for hosts with unsaved text. Paths have passed the jail and the
 * policy. `disk` does what would happen without the provider. For an error with a `code` such as
 * `ENOENT` or `EACCES`, the agent gets an error that explains the code.
 */
export interface FsProvider {
  /** Returns the text of a file. If it throws, the agent gets an error. */
  readonly readTextFile?: ReadFile | undefined;
  /** Writes the text of a file. If it throws, the agent gets an error. */
  readonly writeTextFile?: WriteFile | undefined;
  /** Not set: the paths are those of this disk. */
  readonly realpath?: undefined;
}

/**
 * Files that are not on this disk: in memory, in a container, on another machine. The jail asks the
 * provider where a path leads, and nothing touches this disk. Paths are POSIX or Windows paths, like
 * the session's `cwd`. For an error with a `code` such as `ENOENT` or `EACCES`, the agent gets an error
 * that explains the code.
 */
export interface VirtualFsProvider {
  /**
   * The path with all links resolved, in the spelling that the file system itself uses. If the file does
   * not exist yet, the path where writing would create it, even through a link whose target is missing.
   * The jail trusts this answer. Throw an error with the code `ENOENT` if the file cannot be created
   * there either. Without links: `(path) => path`.
   */
  readonly realpath: (
    path: string,
    options: { readonly signal: AbortSignal },
  ) => Promise<string> | string;
  /** Reads a file, or the requested lines of it; `sliceLines` picks them from a whole text. */
  readonly readTextFile?: ReadFile | undefined;
  /** Replaces a file, or creates it with the folders it lacks. */
  readonly writeTextFile?: WriteFile | undefined;
}

/** How an agent reaches files. */
export interface FsOptions {
  /** Default: the disk of this machine. */
  readonly provider?: FsProvider | VirtualFsProvider | undefined;
  /**
   * The answer for a missing file: an error, as the protocol says, or an empty text. Gemini CLI (seen
   * in 0.61.0) can create files only with the latter.
   */
  readonly missingFile?: "error" | "empty" | undefined;
  /** The most bytes to read at once. Default: 16 MiB. */
  readonly maxReadBytes?: number | undefined;
}

/** Narrows a provider to one with paths of its own. */
export function isVirtual(
  provider: FsProvider | VirtualFsProvider | undefined,
): provider is VirtualFsProvider {
  return provider?.realpath !== undefined;
}
