import type { EnvOverlay } from "../../../base/index.ts";
import { type Channel, openProcess } from "../../../transport/wire/index.ts";
import type { SelectedAgent } from "../agents/select.ts";
import type { Context } from "../context/context.ts";

export interface OpenAgentOptions {
  readonly stderr: (text: string) => void;
  /** The environment of the process. Default: that of this process, with the variables of the agent. */
  readonly env?: EnvOverlay | undefined;
  /** Ends the connecting to a server. */
  readonly signal?: AbortSignal | undefined;
}

/** Starts the process of an agent in the workspace, or connects to the agent if it is on a server. */
export async function openAgent(
  { io, cwd, values }: Context,
  { command, args, env, remote }: SelectedAgent,
  { stderr, env: given = { ...io.env, ...env }, signal }: OpenAgentOptions,
): Promise<Channel> {
  if (!remote) return openProcess({ command, args, cwd, env: given, onStderr: stderr });
  const { openUrl, limitsOf } = await import("./client.ts");
  return openUrl(remote, limitsOf(values).start, signal ?? new AbortController().signal);
}
