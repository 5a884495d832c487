import { type ClientCapabilities, metaField, metaOf } from "../../protocol/acp/index.ts";
import type { Logger } from "../../base/index.ts";
import type { Permissions, StickyScope } from "./permissions/policy.ts";
import type { ElicitationProvider } from "./providers/elicitation.ts";
import { type FsOptions, isVirtual } from "./providers/fs.ts";
import type { TerminalEvent, TerminalProvider } from "./providers/terminal.ts";
import { HAS_DISK } from "./workspace/disk-workspace.ts";

/** Decides what an agent may reach through the client. Everything left out stays closed. */
export interface GateOptions {
  /**
   * Switches, spelled as on the wire. Reading is on unless `fs.readTextFile` is false, and writing is
   * off unless `fs.writeTextFile` is true. `terminal: false` and `elicitation: null` switch a provider
   * off. `terminal: true`, `elicitation: { form: {} }` and the like advertise a capability for sessions
   * that bring a provider of their own; other sessions answer its methods with -32601. Capabilities
   * outside the gate (`session`, `auth`, `_meta`) are advertised as given.
   */
  readonly capabilities?: ClientCapabilities | undefined;
  /** Who decides. Default: `read`. */
  readonly permissions?: Permissions | undefined;
  /** How far the choice of an `always` option reaches. Default: the session. */
  readonly sticky?: StickyScope | undefined;
  /** Where files are, and how they are read. Default: on this disk. */
  readonly fs?: FsOptions | undefined;
  /** Runs commands, usually `localTerminals()`. Without a provider, terminals are not advertised. */
  readonly terminal?: TerminalProvider | undefined;
  /** Called with everything that happens to terminals. */
  readonly onTerminal?: ((event: TerminalEvent) => void) | undefined;
  /** Asks a person. Without a provider, elicitation is not advertised. */
  readonly elicitation?: ElicitationProvider | undefined;
  /** Lets reads, and the working folders of commands, leave the workspace. Writes never do. */
  readonly allowReadOutsideWorkspace?: boolean | undefined;
  /** Receives diagnostics, without secrets. Default: none. */
  readonly logger?: Logger | undefined;
}

/**
 * Pure: the advertised capabilities, which are exactly the methods that are answered. The policy does
 * not matter here: if client files were not advertised, an agent would use its own tools on the disk,
 * where no policy sees it.
 */
export function gateCapabilities(options: GateOptions): ClientCapabilities {
  const { fs, terminal, elicitation, ...others } = options.capabilities ?? {};
  const asks = elicitation === null ? undefined : options.elicitation;
  const modes = {
    ...(isOn(elicitation?.form, asks?.form) ? { form: { ...elicitation?.form } } : {}),
    ...(isOn(elicitation?.url, asks?.url) ? { url: { ...elicitation?.url } } : {}),
  };
  const provider = options.fs?.provider;
  const reads = isVirtual(provider) ? provider.readTextFile !== undefined : HAS_DISK;
  return {
    ...others,
    fs: {
      ...metaField(metaOf(fs)),
      readTextFile: fs?.readTextFile ?? reads,
      writeTextFile: fs?.writeTextFile === true,
    },
    terminal: terminal ?? options.terminal !== undefined,
    ...(Object.keys(modes).length > 0
      ? { elicitation: { ...metaField(metaOf(elicitation)), ...modes } }
      : {}),
  };
}

/** The value of the switch if it is set; otherwise, whether there is a provider. */
function isOn(mode: object | null | undefined, provider: unknown): boolean {
  return mode === undefined ? provider !== undefined : mode !== null;
}
