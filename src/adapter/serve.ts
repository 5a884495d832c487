import { homedir } from "node:os";
import { parse } from "node:path";
import { serveAgent } from "../agent/index.ts";
import { type Channel, stdioChannel, tapped } from "../wire/index.ts";
import { droidAgent } from "./agent.ts";
import { createDeps, type AdapterOptions } from "./deps.ts";
import { withLegacyModels } from "./legacy.ts";
import type { LogFile } from "./log-file.ts";

export interface ServeDroidOptions extends AdapterOptions {
  readonly version: string;
  /** Ends everything from this side. */
  readonly signal?: AbortSignal;
  /** The folder the client is likely to want first; none is guessed unless given. */
  readonly likelyCwd?: string | undefined;
}

/** Serves Droid to one client; resolves when the client is gone and nothing is left running. */
export async function serveDroid(channel: Channel, options: ServeDroidOptions): Promise<void> {
  const deps = createDeps(options);
  if (options.likelyCwd !== undefined) deps.pool.warm(options.likelyCwd);
  // At once, and not after the turns: they end because their Droids do.
  const shut = channel.closed.then(() => deps.pool.close());
  await serveAgent(withLegacyModels(channel), droidAgent(deps, options.version), {
    ...(options.logger === undefined ? {} : { logger: options.logger }),
    ...(options.signal === undefined ? {} : { signal: options.signal }),
  });
  await shut;
}

/** Serves Droid on stdin and stdout until the client leaves or a signal says so. */
export async function serveStdio(
  options: Omit<ServeDroidOptions, "signal" | "likelyCwd" | "logger" | "tap">,
  log: LogFile | undefined,
): Promise<void> {
  const stop = new AbortController();
  const end = (): void => stop.abort();
  process.once("SIGTERM", end);
  process.once("SIGINT", end);
  process.once("SIGHUP", end);
  const stdio = stdioChannel();
  const channel = log ? tapped(stdio, log.tap("acp")) : stdio;
  await serveDroid(channel, {
    ...options,
    logger: log?.logger,
    tap: log?.tap("droid"),
    signal: stop.signal,
    likelyCwd: likelyFolder(process.cwd(), homedir()),
  });
}

/** Editors start agents in the project's folder; one started at home or at the root says nothing. Pure. */
export function likelyFolder(cwd: string, home: string): string | undefined {
  return cwd === home || cwd === parse(cwd).root ? undefined : cwd;
}
