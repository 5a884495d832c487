import type { TerminalExit } from "../../../protocol/acp/index.ts";
import type { RequestMeta } from "../request-meta.ts";

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
