import { type ClientCapabilities, metaField, metaOf } from "../../acp/index.ts";
import type { Logger } from "../../wire/index.ts";
import type { Permissions, StickyScope } from "./permissions/policy.ts";
import type { ElicitationProvider } from "./providers/elicitation.ts";
import type { FsOptions } from "./providers/fs.ts";
import type { TerminalEvent, TerminalProvider } from "./providers/terminal.ts";

/** Decides what an agent may reach through the client. Everything left out stays closed. */
export interface GateOptions {
  /**
   * Switches, spelled as on the wire. Reading is on unless `fs.readTextFile` is false, and writing is
   * off unless `fs.writeTextFile` is true. `terminal: false` and `elicitation: null` switch a provider
   * off. Capabilities outside the gate (`session`, `auth`, `_meta`) are advertised as given.
   */
  readonly capabilities?: ClientCapabilities | undefined;
  /** Who decides. Default: `read`. */
  readonly permissions?: Permissions | undefined;
  /** How far the choice of an `always` option reaches. Default: the session. */
  readonly sticky?: StickyScope | undefined;
  readonly fs?: FsOptions | undefined;
  /** Runs commands, usually `localTerminals()`. Without a provider, terminals are not advertised. */
  readonly terminal?: TerminalProvider | undefined;
  /** Called with everything that happens to terminals. */
  readonly onTerminal?: ((event: TerminalEvent) => void) | undefined;
  /** Asks a person. Without a provider, elicitation is not advertised. */
  readonly elicitation?: ElicitationProvider | undefined;
  /** Lets reads, and the working folders of commands, leave the workspace. Writes never do. */
  readonly allowReadOutsideWorkspace?: boolean | undefined;
  readonly logger?: Logger | undefined;
}

/**
 * Pure: the advertised capabilities, which are exactly the methods that are answered. The policy does
 * not matter here: if client files were not advertised, an agent would use its own tools on the disk,
 * where no policy sees it.
 */
export function gateCapabilities(options: GateOptions): ClientCapabilities {
  const { fs, terminal, elicitation, ...others } = options.capabilities ?? {};
  const provider = elicitation === null ? undefined : options.elicitation;
  const modes = {
    ...(provider?.form && elicitation?.form !== null ? { form: { ...elicitation?.form } } : {}),
    ...(provider?.url && elicitation?.url !== null ? { url: { ...elicitation?.url } } : {}),
  };
  return {
    ...others,
    fs: {
      ...metaField(metaOf(fs)),
      readTextFile: fs?.readTextFile !== false,
      writeTextFile: fs?.writeTextFile === true,
    },
    terminal: options.terminal !== undefined && terminal !== false,
    ...(Object.keys(modes).length > 0
      ? { elicitation: { ...metaField(metaOf(elicitation)), ...modes } }
      : {}),
  };
}
