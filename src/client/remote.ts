import { messageOf } from "../base/index.ts";
import { CallCancelledError } from "../transport/rpc/index.ts";
import { connectRemote, remoteAddress } from "../transport/remote/index.ts";
import type { Channel } from "../transport/wire/index.ts";
import type { AcpClientConfig, UrlTarget } from "./config.ts";
import { isLimit } from "./connection/timeouts.ts";
import { InvalidArgumentError, TimeoutError } from "./errors.ts";
import type { GateOptions } from "./gate/options.ts";
import type { VirtualFsProvider } from "./gate/providers/fs.ts";

/** Paths of another machine: they can be compared, and nothing can be read or written. */
const REMOTE_PATHS: VirtualFsProvider = { realpath: (path) => path };

/** Pure: whether an agent is on a server, so that its folders are not those of this machine. */
export function isRemote(config: AcpClientConfig): boolean {
  return config.url !== undefined || (config.channel !== undefined && config.remote === true);
}

/**
 * Pure: the gate for an agent. One on a server gets neither files nor terminals, and its paths are not
 * looked up on this disk, unless `remoteFiles` is set. Throws InvalidArgumentError if the options offer
 * some all the same.
 */
export function gateOptionsFor(config: AcpClientConfig): GateOptions {
  if (config.command !== undefined || !isRemote(config) || config.remoteFiles === true) {
    return config;
  }
  const { capabilities, fs, terminal } = config;
  const offered = [
    fs?.provider,
    terminal,
    capabilities?.fs?.readTextFile,
    capabilities?.fs?.writeTextFile,
    capabilities?.terminal,
  ];
  if (offered.some((value) => value !== undefined && value !== false)) {
    throw new InvalidArgumentError(
      "an agent on a server works on the server's files: to offer it those of this machine, set remoteFiles",
    );
  }
  return {
    ...config,
    fs: { ...fs, provider: REMOTE_PATHS },
    // Some agents take a capability that is left out for one that is there (qwen 0.24.4).
    capabilities: {
      ...capabilities,
      fs: { readTextFile: false, writeTextFile: false },
      terminal: false,
    },
  };
}

/**
 * Connects to an agent on a server. Rejects with InvalidArgumentError, ConnectError, TimeoutError or
 * CallCancelledError.
 */
export async function openUrl(
  { url, headers, token }: UrlTarget,
  startMs: number,
  signal: AbortSignal | undefined,
): Promise<Channel> {
  const address = checkedAddress(url);
  const controller = new AbortController();
  const cancel = (): void => controller.abort(new CallCancelledError("connect", signal?.reason));
  if (signal?.aborted === true) cancel();
  signal?.addEventListener("abort", cancel, { once: true });
  const late = new TimeoutError("start", startMs, "connect");
  const timer = isLimit(startMs) ? setTimeout(() => controller.abort(late), startMs) : undefined;
  try {
    return await connectRemote(address, { headers, token, signal: controller.signal });
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", cancel);
  }
}

function checkedAddress(url: string | URL): URL {
  try {
    return remoteAddress(url);
  } catch (error) {
    throw new InvalidArgumentError(messageOf(error));
  }
}
