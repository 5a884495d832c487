import type { ReadRequest, WriteRequest } from "../providers/fs.ts";

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
  /** Whether reads may leave the roots. */
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
