import type { Meta } from "../../../protocol/acp/index.ts";
import { AcpClient } from "../../../client/index.ts";
import type { Logger } from "../../../base/index.ts";
import type { Channel, Tap } from "../../../transport/wire/index.ts";
import type { SelectedAgent } from "../agents/select.ts";
import type { PermissionPrompter } from "../permissions/prompter.ts";
import type { PermissionPolicy } from "../permissions/policy.ts";
import type { Context } from "../context/context.ts";
import { gateOptions } from "../permissions/gate.ts";
import { limitsOf } from "./limits.ts";

export { openUrl } from "../../../client/index.ts";
export { classifyFailure } from "./failure.ts";
export { limitsOf } from "./limits.ts";
export { signIn } from "./sign-in.ts";

/** How long an agent may take to end a cancelled turn before Dragoman ends the agent. */
const CANCEL_GRACE_MS = 5000;

export interface ClientParts {
  readonly agent: SelectedAgent;
  readonly policy: PermissionPolicy;
  readonly prompter: PermissionPrompter;
  readonly channel: Channel;
  readonly tap: Tap | undefined;
  readonly logger: Logger;
  /** Sent as the `_meta` of `initialize`. */
  readonly meta?: Meta | undefined;
}

/** Connects to a started agent and initialises it. */
export function startClient(context: Context, parts: ClientParts): Promise<AcpClient> {
  const { io, values } = context;
  const { agent, policy, prompter, channel, tap, logger, meta } = parts;
  const { start, request, turn, turnIdle } = limitsOf(values);
  return AcpClient.start({
    ...gateOptions(context, agent, policy, prompter),
    channel,
    protocol: agent.protocol,
    // Instructions from the client are not a stable part of the protocol yet.
    unstable: values.text("system-prompt") !== undefined,
    ...(agent.remote ? { remote: true, remoteFiles: values.flag("remote-files") } : {}),
    ...(tap === undefined ? {} : { tap }),
    meta,
    clientInfo: { name: "dragoman", title: "Dragoman", version: io.version },
    logger,
    // Agents offer a login in the terminal only if the client has one.
    terminalLogin: context.hasTerminal,
    timeouts: {
      start,
      request,
      turn,
      turnIdle,
      cancelGrace: io.timing?.cancelGraceMs ?? CANCEL_GRACE_MS,
    },
  });
}
