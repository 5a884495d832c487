import { type ClientCapabilities, clientHas } from "../../protocol/acp/index.ts";
import { definedFields } from "../../base/index.ts";
import { InvalidArgumentError } from "../errors.ts";
import type { GateOptions } from "./options.ts";
import { toDecider, type Decider } from "./permissions/decider.ts";
import type { Permissions } from "./permissions/policy.ts";
import type { ElicitationProvider } from "./providers/elicitation.ts";
import { type FsOptions, isVirtual } from "./providers/fs.ts";
import type { TerminalProvider } from "./providers/terminal.ts";
import { diskWorkspace, HAS_DISK } from "./workspace/disk-workspace.ts";
import { VirtualWorkspace } from "./workspace/virtual-workspace.ts";
import type { Workspace } from "./workspace/workspace.ts";

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

/** Builds the access of a session. Throws InvalidArgumentError, as `GateLike.access` says. */
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
export function assertSamePlace(
  fs: FsOptions | undefined,
  terminal: TerminalProvider | undefined,
): void {
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
