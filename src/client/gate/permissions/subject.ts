/** The exact work to decide about. All links in its paths are resolved. */
export type PermissionSubject =
  /** The agent asks about a tool call. See `toolCall`. */
  | { readonly type: "tool_call" }
  | {
      readonly type: "read_file";
      readonly path: string;
    }
  | {
      readonly type: "write_file";
      readonly path: string;
      readonly content: string;
    }
  | {
      readonly type: "terminal";
      /** A program if there are arguments, otherwise a whole command line. */
      readonly command: string;
      /** The arguments of the program. */
      readonly args: readonly string[];
      readonly cwd: string;
      /** The variables that the agent sets for the command. */
      readonly env: Readonly<Record<string, string>>;
    };

/** Work that an agent asks the client to do. */
export type RequestedWork = Exclude<PermissionSubject, { readonly type: "tool_call" }>;
