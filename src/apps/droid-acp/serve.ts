import { homedir } from "node:os";
import { parse } from "node:path";
import { serveAgent } from "../../agent/index.ts";
import { type Channel, stdioChannel, tapped } from "../../transport/wire/index.ts";
import { droidAgent } from "./agent.ts";
import { type AdapterOptions, createDeps } from "./deps.ts";
import { withLegacyModels } from "./translate/legacy-models.ts";
import { openAdapterLog } from "./log.ts";

interface ServeDroidOptions extends AdapterOptions {
  readonly version: string;
  /** Aborting it ends the connection and all Droid processes. */
  readonly signal?: AbortSignal | undefined;
  /** The folder that the client is likely to open first. Droid is started there ahead of time. */
  readonly likelyCwd?: string | undefined;
}

/** Serves Droid to one client. Resolves once the client is gone and every Droid has ended. */
export async function serveDroid(channel: Channel, options: ServeDroidOptions): Promise<void> {
  const { version, logger, signal, likelyCwd } = options;
  const deps = createDeps(options);
  if (likelyCwd !== undefined) deps.pool.warm(likelyCwd);
  // Do not wait for running turns: they end because their Droid processes end.
  const poolClosed = channel.closed.then(() => deps.pool.close());
  await serveAgent(withLegacyModels(channel), droidAgent(deps, version), { logger, signal });
  await poolClosed;
}

/**
 * Serves Droid on stdin and stdout until the client disconnects or a signal arrives. Rejects if the log
 * cannot be written.
 */
export async function serveStdio(
  options: Omit<ServeDroidOptions, "signal" | "likelyCwd" | "logger" | "tap">,
  logFile: string | undefined,
): Promise<void> {
  const log = logFile === undefined ? undefined : await openAdapterLog(logFile);
  try {
    const stop = new AbortController();
    const end = (): void => stop.abort();
    process.once("SIGTERM", end);
    process.once("SIGINT", end);
    process.once("SIGHUP", end);
    const stdio = stdioChannel();
    await serveDroid(log ? tapped(stdio, log.tap("acp")) : stdio, {
      ...options,
      logger: log?.logger,
      tap: log?.tap("droid"),
      signal: stop.signal,
      likelyCwd: likelyFolder(process.cwd(), homedir()),
    });
  } finally {
    await log?.close();
  }
}

/** Editors start agents in the project folder. Home and root are not projects. Pure. */
export function likelyFolder(cwd: string, home: string): string | undefined {
  return cwd === home || cwd === parse(cwd).root ? undefined : cwd;
}
