import type { Meta } from "../../../protocol/acp/index.ts";
import {
  AcpClient,
  authMethod,
  isTerminalMethod,
  loginCommand,
  LoginError,
  runInTerminal,
} from "../../../client/index.ts";
import type { Logger } from "../../../base/index.ts";
import type { Channel, Tap } from "../../../transport/wire/index.ts";
import type { SelectedAgent } from "../agents/select.ts";
import type { PermissionPolicy } from "../permissions/policy.ts";
import type { Context } from "../context/context.ts";
import { gateOptions } from "../permissions/gate.ts";
import { CliError } from "../shell/exit.ts";
import type { Secrets } from "./secrets.ts";
import { runTimeouts } from "./timeouts.ts";
import type { PermissionPrompter } from "../permissions/prompter.ts";

export { openUrl } from "../../../client/index.ts";
export { classifyFailure } from "./failure.ts";
export { runTimeouts } from "./timeouts.ts";

/** How long an agent may take to end a cancelled turn before Dragoman ends the agent. */
const CANCEL_GRACE_MS = 5000;

export interface ClientParts {
  readonly agent: SelectedAgent;
  readonly policy: PermissionPolicy;
  readonly prompter: PermissionPrompter;
  readonly channel: Channel;
  readonly tap: Tap | undefined;
  readonly logger: Logger;
  readonly meta?: Meta | undefined;
}

export function startClient(context: Context, parts: ClientParts): Promise<AcpClient> {
  const { io, values } = context;
  const { agent, policy, prompter, channel, tap, logger, meta } = parts;
  const { start, request, turn, turnIdle } = runTimeouts(values);
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
      startMs: start,
      requestMs: request,
      turnMs: turn,
      turnIdleMs: turnIdle,
      cancelGraceMs: io.timing?.cancelGraceMs ?? CANCEL_GRACE_MS,
    },
  });
}

/** Signs in with one of the agent's methods. Resolves with false if the agent must be restarted. */
export async function signIn(
  context: Context,
  running: { readonly client: AcpClient; readonly agent: SelectedAgent; readonly secrets: Secrets },
  id: string,
  signal: AbortSignal,
): Promise<boolean> {
  const { client, agent, secrets } = running;
  const method = authMethod(client.agent.authMethods, id);
  if (!isTerminalMethod(method)) {
    await client.authenticate(id, { signal });
    return true;
  }
  const { command, args, env, remote } = agent;
  if (remote) {
    const what = `the login "${id}" runs in a terminal on the machine of the agent`;
    throw new CliError("auth", { what, hint: "sign in there, or another --auth METHOD" });
  }
  const line = loginCommand({ command, args, env, cwd: context.cwd }, method);
  const words = secrets.hideAll([line.command, ...(line.args ?? [])].join(" "));
  const terminal = context.io.openTerminalStdio();
  if (terminal === undefined) {
    const what = `the login "${id}" needs a terminal, and there is none`;
    throw new CliError("auth", { what, hint: `${words} in a terminal` });
  }
  context.renderer.note(`running the login "${id}": ${words}`);
  // Dragoman must not print anything while the login uses the terminal.
  const release = context.screen.hold();
  try {
    const exit = await runInTerminal(line, { stdio: [...terminal.stdio], signal });
    // Ctrl-C reaches the login and Dragoman alike, and the login may die before Dragoman notices.
    if (exit.signal === "SIGINT") throw new CliError("interrupted", { what: "interrupted" });
    if (exit.code !== 0) throw new LoginError(id, exit);
  } finally {
    terminal.close();
    release();
  }
  return false;
}
