import type {
  ElicitationContentValue,
  ElicitationSchema,
  Fault,
  Meta,
  TerminalExit,
} from "../../../protocol/acp/index.ts";
import type { RequestId } from "../../../transport/rpc/index.ts";

/** The `_meta` of a request from the agent, and of the answer to it. */
export interface RequestMeta {
  /** The `_meta` that the agent sent. */
  readonly meta: Meta | undefined;
  /** Sets the `_meta` of the answer. Call it before the request is answered; the last call counts. */
  readonly answerMeta: (meta: Meta) => void;
}

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
type ReadFile = (request: ReadRequest, disk: () => Promise<string>) => Promise<string> | string;

/** Writes a file. `disk` writes it as if there was no provider, and rejects if it is not on this disk. */
type WriteFile = (request: WriteRequest, disk: () => Promise<void>) => Promise<void> | void;

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

/** Part of a text: `limit` lines, starting at `line`. Line ends belong to their lines. */
export interface LineWindow {
  /** The first line, counted from 1. Default: 1. 0 means 1 too, because some agents count from 0. */
  readonly line?: number | undefined;
  /** How many lines to read. Default: all. */
  readonly limit?: number | undefined;
}

/** A command to run. It has passed the jail and the policy. */
export interface TerminalRequest extends RequestMeta {
  readonly sessionId: string;
  readonly terminalId: string;
  /** A program if there are arguments, otherwise a whole command line. */
  readonly command: string;
  /** The arguments of the program. */
  readonly args: readonly string[];
  /** The folder to run in, for display. */
  readonly cwd: string;
  /**
   * The same folder, for starting a process in it. Valid until `create` has resolved. Equal to `cwd` if
   * the files are not on this disk.
   */
  readonly entry: string;
  /** The variables that the agent sets for the command. */
  readonly env: Readonly<Record<string, string>>;
  /** How many bytes of the output the agent wants to keep. */
  readonly outputByteLimit: number | undefined;
  /** Call it with the output of the command as it arrives. */
  readonly onOutput: (text: string) => void;
}

/** A command that is running, or that has ended but is not released. */
export interface ProvidedTerminal {
  /** The output kept so far. It is cut at the start, at a whole character. */
  output(request?: RequestMeta): {
    /** The text, stdout and stderr together. */
    output: string;
    /** Whether the beginning of the output was dropped. */
    truncated: boolean;
    /** How the command ended; undefined while it runs. */
    exitStatus: TerminalExit | undefined;
  };
  /** Resolves when the command has ended. */
  readonly exited: Promise<TerminalExit>;
  /** Called when the agent starts to wait for the end of the command. */
  readonly waiting?: ((request: RequestMeta) => void) | undefined;
  /** Ends the command and everything it started. The output stays. */
  kill(request?: RequestMeta): Promise<void>;
  /** Ends the command too, and frees its resources. There is no request if the session is closed. */
  release(request?: RequestMeta): Promise<void>;
}

/** Runs commands for agents. Without a provider, terminals are not advertised. */
export interface TerminalProvider {
  /** Starts a command. Resolves once it runs, and rejects if it cannot be started. */
  create(request: TerminalRequest): Promise<ProvidedTerminal>;
  /**
   * True if commands run in folders of this machine's disk, as those of `localTerminals()` do. Such a
   * provider cannot serve sessions whose files are elsewhere.
   */
  readonly usesDisk?: boolean | undefined;
}

/** A terminal event, for a host that shows terminals. */
export type TerminalEvent = {
  readonly sessionId: string;
  readonly terminalId: string;
} & (
  | {
      readonly type: "created";
      /** A program if there are arguments, otherwise a whole command line. */
      readonly command: string;
      /** The arguments of the program. */
      readonly args: readonly string[];
      readonly cwd: string;
    }
  | {
      readonly type: "output";
      readonly text: string;
    }
  | ({ readonly type: "exited" } & TerminalExit)
  | { readonly type: "released" }
);

/** The owner of a question: a session, or a request made before there was one. */
export interface ElicitationScope {
  /** The session that asks, if there is one. */
  readonly sessionId: string | undefined;
  /** The tool call that asks, if the agent names it. */
  readonly toolCallId: string | undefined;
  /** The request of this client that the agent asks about, if there is no session. */
  readonly requestId: RequestId | undefined;
}

/** A form for a person to fill in or decline. */
export interface FormElicitation extends ElicitationScope, RequestMeta {
  readonly message: string;
  /** The fields of the form, as a JSON schema with flat properties. */
  readonly schema: ElicitationSchema;
  /** The faults in an answer. Empty if the answer is valid. */
  check(content: unknown): readonly Fault[];
  /** Aborted when an answer is no longer needed. */
  readonly signal: AbortSignal;
}

/**
 * A URL that a person is asked to open. Show it in full, including its host. Open it only with their
 * consent and outside this program; never fetch it. `accept` means only that they agreed to open it.
 */
export interface UrlElicitation extends ElicitationScope, RequestMeta {
  readonly message: string;
  readonly url: URL;
  /** The agent's id for this question, which `completed` gets later. */
  readonly elicitationId: string;
  /** Aborted when an answer is no longer needed. */
  readonly signal: AbortSignal;
}

/** The answer of the user. */
export type ElicitationReply =
  | {
      readonly action: "accept";
      /** The values that the user entered, by the names of the fields. */
      readonly content?: Readonly<Record<string, ElicitationContentValue>> | undefined;
    }
  | { readonly action: "decline" }
  | { readonly action: "cancel" };

/** Asks a person on behalf of an agent. A mode is advertised if its method exists. */
export interface ElicitationProvider {
  /** Shows a form to the user. If it throws, the answer is `cancel`. */
  readonly form?:
    | ((request: FormElicitation) => Promise<ElicitationReply> | ElicitationReply)
    | undefined;
  /** Asks the user to open a page. If it throws, the answer is `cancel`. */
  readonly url?:
    | ((request: UrlElicitation) => Promise<ElicitationReply> | ElicitationReply)
    | undefined;
  /** The agent reports that the interaction at a URL is complete. */
  readonly completed?:
    | ((elicitationId: string, notification: { readonly meta: Meta | undefined }) => void)
    | undefined;
}
