import type { ClientCapabilities } from "../../acp/index.ts";
import type { Logger } from "../../wire/index.ts";
import type { Permissions, StickyScope } from "./permissions/policy.ts";
import type { ElicitationProvider } from "./providers/elicitation.ts";
import type { FsOptions } from "./providers/fs.ts";
import type { TerminalEvent, TerminalProvider } from "./providers/terminal.ts";

/** What decides what an agent may reach through the client. Everything left out stays shut. */
export interface GateOptions {
  /**
   * Switches, spelled as on the wire. Reading is on unless `fs.readTextFile` is false, writing off
   * unless `fs.writeTextFile` is true. `terminal: false` and `elicitation: null` switch a provider
   * off. What is not the gate's (`session`, `auth`, `_meta`) is advertised as it is given.
   */
  readonly capabilities?: ClientCapabilities | undefined;
  /** Who decides; `read` unless told. */
  readonly permissions?: Permissions | undefined;
  /** For whom a choice of an `always` option holds; for the session unless told. */
  readonly sticky?: StickyScope | undefined;
  readonly fs?: FsOptions | undefined;
  /** Runs commands; without one no terminal is advertised. `localTerminals()` is the usual one. */
  readonly terminal?: TerminalProvider | undefined;
  /** Sees what happens to terminals. */
  readonly onTerminal?: ((event: TerminalEvent) => void) | undefined;
  /** Asks a person; without one no elicitation is advertised. */
  readonly elicitation?: ElicitationProvider | undefined;
  /** Lets reads, and the working folders of commands, leave the workspace. Writes never do. */
  readonly allowReadOutsideWorkspace?: boolean | undefined;
  readonly logger?: Logger | undefined;
}

/**
 * Pure: what is advertised, which is exactly what is answered. The policy has no say in it: an agent
 * that is told of no client files would use its own tools on the disk, and be seen by no policy.
 */
export function gateCapabilities(options: GateOptions): ClientCapabilities {
  const { fs, terminal, elicitation, ...others } = options.capabilities ?? {};
  const provider = elicitation === null ? undefined : options.elicitation;
  const modes = {
    ...(provider?.form && elicitation?.form !== null ? { form: {} } : {}),
    ...(provider?.url && elicitation?.url !== null ? { url: {} } : {}),
  };
  return {
    ...others,
    fs: { readTextFile: fs?.readTextFile !== false, writeTextFile: fs?.writeTextFile === true },
    terminal: options.terminal !== undefined && terminal !== false,
    ...(Object.keys(modes).length > 0 ? { elicitation: modes } : {}),
  };
}
