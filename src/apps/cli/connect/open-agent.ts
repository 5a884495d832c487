import type { EnvOverlay } from "../../../base/index.ts";
import { type Channel, openProcess } from "../../../transport/wire/index.ts";
import type { SelectedAgent } from "../agents/select.ts";
import type { Context } from "../context/context.ts";

export interface OpenAgentOptions {
  /** Gets the stderr of the agent's process. */
  readonly stderr: (text: string) => void;
  /** The environment of the process. Default: that of this process, with the variables of the agent. */
  readonly env?: EnvOverlay | undefined;
}

/** Starts an agent for a hub in the workspace, or connects to it if it is on a server. */
export async function openAgent(
  { io, cwd, values }: Context,
  { command, args, env, remote }: SelectedAgent,
  options: OpenAgentOptions,
): Promise<Channel> {
  if (!remote) {
    const full = options.env ?? { ...io.env, ...env };
    return openProcess({ command, args, cwd, env: full, onStderr: options.stderr });
  }
  const { openUrl, limitsOf } = await import("./client.ts");
  return openUrl(remote, limitsOf(values).start, new AbortController().signal);
}
