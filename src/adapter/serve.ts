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
  /** Aborting it ends the connection and all Droid processes. */
  readonly signal?: AbortSignal;
  /** The folder that the client is likely to open first. Droid is started there ahead of time. */
  readonly likelyCwd?: string | undefined;
}

/** Serves Droid to one client. Resolves once the client is gone and every Droid has ended. */
export async function serveDroid(channel: Channel, options: ServeDroidOptions): Promise<void> {
  const deps = createDeps(options);
  if (options.likelyCwd !== undefined) deps.pool.warm(options.likelyCwd);
  // Do not wait for running turns: they end because their Droid processes end.
  const poolClosed = channel.closed.then(() => deps.pool.close());
  await serveAgent(withLegacyModels(channel), droidAgent(deps, options.version), {
    ...(options.logger === undefined ? {} : { logger: options.logger }),
    ...(options.signal === undefined ? {} : { signal: options.signal }),
  });
  await poolClosed;
}

/** Serves Droid on stdin and stdout until the client disconnects or a signal arrives. */
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

/** Editors start agents in the project folder. Home and root are not projects. Pure. */
export function likelyFolder(cwd: string, home: string): string | undefined {
  return cwd === home || cwd === parse(cwd).root ? undefined : cwd;
}
