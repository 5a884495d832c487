import {
  type ClientCapabilities,
  clientHas,
  type ToolCallPatch,
  type ToolCallState,
} from "../../protocol/acp/index.ts";
import { definedFields, type Logger } from "../../base/index.ts";
import { type Decider, type Permissions, toDecider } from "./permissions/policy.ts";
import type { StickyScope } from "../../protocol/acp/index.ts";
import type {
  ElicitationProvider,
  FsOptions,
  TerminalEvent,
  TerminalProvider,
} from "./providers/provider.ts";
import { diskWorkspace, HAS_DISK } from "./workspace/disk-workspace.ts";
import { InvalidArgumentError } from "../errors.ts";
import { VirtualWorkspace, type Workspace, isVirtual } from "./workspace/virtual-workspace.ts";

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
 * The limits of an agent in one session. For everything left out, the client's configuration applies.
 * Capabilities are negotiated once per connection, so a session can use only providers of kinds that
 * the client has advertised.
 */
export interface SessionGateOptions {
  /** Who decides in this session. */
  readonly permissions?: Permissions | undefined;
  /** Where the files of this session are. Fields that are left out are those of the client. */
  readonly fs?: FsOptions | undefined;
  /** Runs the commands of this session. Null: none. */
  readonly terminal?: TerminalProvider | null | undefined;
  /** Asks a person on behalf of this session. Null: no questions. */
  readonly elicitation?: ElicitationProvider | null | undefined;
}

/** The files and providers that one session may reach, and who decides about them. */
export interface SessionAccess {
  readonly workspace: Workspace;
  readonly decider: Decider;
  readonly fs: FsOptions;
  /** Which requests for files are answered. */
  readonly files: { readonly read: boolean; readonly write: boolean };
  readonly terminal: TerminalProvider | undefined;
  readonly elicitation: ElicitationProvider | undefined;
}

/** Builds the access of a session. Throws InvalidArgumentError, as `AgentGate.access` says. */
export function createAccess(
  client: GateOptions,
  advertised: ClientCapabilities,
  roots: readonly string[],
  given: SessionGateOptions,
): SessionAccess {
  assertAdvertised(advertised, given);
  const fs = { ...definedFields(client.fs), ...definedFields(given.fs) };
  const terminal = given.terminal === undefined ? client.terminal : given.terminal;
  const elicitation = given.elicitation === undefined ? client.elicitation : given.elicitation;
  assertSamePlace(fs, terminal ?? undefined);
  const { provider } = fs;
  return {
    workspace: isVirtual(provider)
      ? new VirtualWorkspace(roots, provider, client)
      : diskWorkspace(roots, client),
    decider: toDecider(given.permissions ?? client.permissions ?? "read", {
      files: isVirtual(provider) ? provider : undefined,
      commands: terminal ?? undefined,
    }),
    fs,
    files: isVirtual(provider)
      ? {
          read: provider.readTextFile !== undefined,
          write: provider.writeTextFile !== undefined,
        }
      : { read: HAS_DISK, write: HAS_DISK },
    terminal: terminal ?? undefined,
    elicitation: elicitation ?? undefined,
  };
}

/** Throws InvalidArgumentError if commands would not run where the files are. */
function assertSamePlace(fs: FsOptions | undefined, terminal: TerminalProvider | undefined): void {
  if (!terminal) return;
  if (isVirtual(fs?.provider)) {
    if (terminal.usesDisk !== true) return;
    throw new InvalidArgumentError(
      "the files are not on this disk, but the terminal provider runs commands there: use a provider that runs them where the files are",
    );
  }
  if (HAS_DISK) return;
  throw new InvalidArgumentError(
    "this runtime has no disk: a terminal provider needs an fs provider with realpath",
  );
}

function assertAdvertised(advertised: ClientCapabilities, given: SessionGateOptions): void {
  const { fs, terminal, elicitation } = given;
  const needs = [
    [fs?.provider?.readTextFile, "fs.readTextFile"],
    [fs?.provider?.writeTextFile, "fs.writeTextFile"],
    [terminal, "terminal"],
    [elicitation?.form, "elicitation.form"],
    [elicitation?.url, "elicitation.url"],
  ] as const;
  for (const [provider, capability] of needs) {
    if (!provider || clientHas(advertised, capability)) continue;
    throw new InvalidArgumentError(
      `the session has a provider for ${capability}, which this client does not advertise: set it in \`capabilities\` when the client starts`,
    );
  }
}

/** The part of a session that the gate needs. */
export interface GateSession {
  readonly id: string;
  /** `cwd` first, then the additional directories. All are absolute. */
  readonly roots: readonly string[];
  /** The access of the session, from `AgentGate.access`. */
  readonly access: SessionAccess;
  /** Everything known about a tool call so far. */
  toolCall(id: string): ToolCallState | undefined;
  /** Merges the tool call of a permission request into its known state. */
  noteToolCall(patch: ToolCallPatch): void;
  /**
   * Aborted when the running turn is cancelled, and when the session or the connection closes. Every
   * open question is then answered with `cancelled`. A signal taken outside a turn is aborted when the
   * next turn is cancelled.
   */
  readonly turnSignal: AbortSignal;
  /**
   * The signal for a question about the tool calls or terminals with these ids: `turnSignal`, unless one
   * of them goes on in the background, which a cancelled turn does not end.
   */
  signalFor(ids: readonly unknown[]): AbortSignal;
  /**
   * Runs work that asks a person. Meanwhile the turn is in the state `waiting_permission` and its
   * timers are paused.
   */
  asking<T>(work: () => Promise<T>): Promise<T>;
}

/** Finds the session that a request names. */
export type FindSession = (id: string) => GateSession | undefined;
