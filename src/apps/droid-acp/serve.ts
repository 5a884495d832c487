import { homedir } from "node:os";
import { parse } from "node:path";
import { serveAgent } from "../../agent/index.ts";
import { decodeLine, isJsonObject } from "../../base/index.ts";
import {
  type Channel,
  stdioChannel,
  tapped,
  type CloseReason,
} from "../../transport/wire/index.ts";
import { droidAgent } from "./agent.ts";
import { createDeps, type AdapterOptions } from "./deps.ts";
import type { LogFile } from "./log-file.ts";
import { MODEL_OPTION } from "./session/config.ts";

interface ServeDroidOptions extends AdapterOptions {
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

const SET_MODEL = "session/set_model";

/**
 * Translates a method that ACP has dropped into its successor: clients from 2025 choose a model with
 * `session/set_model`. Returns any other line unchanged. Pure.
 */
export function modernised(line: string): string {
  if (!line.includes(SET_MODEL)) return line;
  const decoded = decodeLine(line);
  if (decoded.kind !== "frame" || decoded.frame["method"] !== SET_MODEL) return line;
  const given = decoded.frame["params"];
  const { modelId: value, ...params } = isJsonObject(given) ? given : {};
  return JSON.stringify({
    ...decoded.frame,
    method: "session/set_config_option",
    params: { ...params, configId: MODEL_OPTION, value },
  });
}

/** Wraps a channel so that the client may also use `session/set_model`. */
function withLegacyModels(channel: Channel): Channel {
  return {
    open: (receive) => channel.open((line) => receive(modernised(line))),
    send: (line) => channel.send(line),
    pause: () => channel.pause(),
    resume: () => channel.resume(),
    close: () => channel.close(),
    get closed(): Promise<CloseReason> {
      return channel.closed;
    },
  };
}
