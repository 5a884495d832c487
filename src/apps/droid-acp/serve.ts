import { appendFileSync } from "node:fs";
import { homedir } from "node:os";
import { parse } from "node:path";
import { serveAgent } from "../../agent/index.ts";
import {
  decodeLine,
  isJsonObject,
  type LogFields,
  type Logger,
  type LogLevel,
  openPrivate,
  redactLine,
  redactText,
} from "../../base/index.ts";
import {
  type Channel,
  type CloseReason,
  stdioChannel,
  type Tap,
  tapped,
} from "../../transport/wire/index.ts";
import { droidAgent } from "./agent.ts";
import { type AdapterOptions, createDeps } from "./deps.ts";
import { MODEL_OPTION } from "./session/config.ts";

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

const SET_MODEL = "session/set_model";

/**
 * Translates a method that ACP has dropped into its successor: clients from 2025 choose a model with
 * `session/set_model`. Returns any other line unchanged. Pure.
 */
export function translateLegacyModel(line: string): string {
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

function withLegacyModels(channel: Channel): Channel {
  return {
    open: (receive) => channel.open((line) => receive(translateLegacyModel(line))),
    send: (line) => channel.send(line),
    pause: () => channel.pause(),
    resume: () => channel.resume(),
    close: () => channel.close(),
    get closed(): Promise<CloseReason> {
      return channel.closed;
    },
  };
}

/** Opens a log file, which only the user can read. Rejects if the file cannot be written. */
export async function openAdapterLog(path: string) {
  const file = await openPrivate(path, "append");
  const write = (text: string): void => {
    try {
      appendFileSync(file.fd, `${new Date().toISOString()} ${text}\n`);
    } catch {
      // The disk may be full. A session must not fail because of its log.
    }
  };
  const at =
    (level: LogLevel) =>
    (message: string, fields?: LogFields): void =>
      write(
        `${level} ${redactText(fields === undefined ? message : `${message} ${describe(fields)}`)}`,
      );
  return {
    logger: {
      debug: at("debug"),
      info: at("info"),
      warn: at("warn"),
      error: at("error"),
    } satisfies Logger,
    /** Returns a tap that logs every line of a connection, without secrets. */
    tap:
      (wire: string): Tap =>
      ({ direction, line }) =>
        write(`${wire} ${direction} ${redactLine(line)}`),
    /** Closes the file. Later entries are lost. Rejects if closing fails. */
    close: () => file.close(),
  };
}

/** Errors have no enumerable properties, so plain JSON would leave them empty. */
function describe(fields: LogFields): string {
  try {
    return JSON.stringify(fields, (_, value: unknown) =>
      value instanceof Error ? `${value.name}: ${value.message}` : value,
    );
  } catch {
    return "(could not serialize the fields)";
  }
}
