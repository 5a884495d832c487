import { join, resolve } from "node:path";
import {
  type AuditEntry,
  fileOwners,
  type FromFiles,
  type HubLimits,
  hubPolicy,
  type HubServer,
  type ServeHubOptions,
  type SessionOwners,
  type TlsCredentials,
  type HubRoots,
  openRoots,
  parseRoot,
  RootError,
} from "../../../host/hub/index.ts";
import { stateFolder, messageOf } from "../../../base/index.ts";
import { FILES_CHOICES } from "../shell/options.ts";
import type { ParsedCommandLine, Values } from "../shell/parse.ts";
import { choiceOption, isOrigin, positiveOption, timeOption } from "../shell/option-values.ts";
import { usageError } from "../shell/exit.ts";
import type { Io } from "../shell/io.ts";
import { rulesFileOf } from "../permissions/policy.ts";
import { MIB, readGivenFile } from "../shell/regular-file.ts";
import type { Context } from "../context/context.ts";
import { hubAgent, missingFiles, selectAgents, InspectedAgents } from "./agents.ts";
import { serverNotePrinter, eventReporter } from "./events.ts";
import { withoutTokens, serveTokens } from "./tokens.ts";
import { openAudit } from "./audit.ts";

const AGENT_IDLE_MS = 10 * 60_000;
const SESSION_IDLE_MS = 30 * 60_000;
const MAX_SESSIONS = 100;

/** Reads the options of `serve` and the files that they name. Throws a CliError. */
export async function serveOptions(context: Context, parsed: ParsedCommandLine) {
  const { io, values } = context;
  const flags = flagOptions(values);
  const files = choiceOption(values, "files", FILES_CHOICES) ?? "server";
  const tls = tlsOf(values, io);
  const [rules, roots] = [await rulesFileOf(context), await rootsOf(context)];
  const agents = await selectAgents(context, parsed);
  const tokens = await serveTokens(values, io);
  const env = withoutTokens(io.env, await tokens.source.load());
  const print = serverNotePrinter(context);
  const state = join(stateFolder(io), "serve");
  const owners = await openOwners(join(state, "owners.jsonl"), print);
  const missingFile = missingFiles(agents);
  const inspected = new InspectedAgents(context);
  const deps = {
    inspected,
    grants: () => tokens.source.load(),
    failed: (name: string, error: unknown) => print(`could not start ${name}: ${messageOf(error)}`),
  };
  // Last, because it has to be closed.
  const audit = await openAudit(context, print);
  const decisions = {
    record: (entry: AuditEntry): Promise<void> => {
      inspected.decision(entry);
      return audit.log.record(entry);
    },
  };
  const options: ServeHubOptions = {
    ...flags.server,
    agents: agents.map((agent) => hubAgent(context, agent, deps)),
    tokens: tokens.source,
    tls,
    roots,
    hub: {
      ...hubPolicy({ rules, files, audit: decisions, env, missingFile }),
      log: { folder: join(state, "logs") },
      owners,
      limits: flags.hub,
    },
    onEvent: eventReporter(context, audit, print),
  };
  return {
    options,
    agents: agents.map(({ name }) => name),
    /** The text to print when it listens. */
    notes: (server: HubServer): readonly string[] => [
      ...agents.map(({ name }) => `serving ${name} at ${pathOf(server, name, agents.length)}`),
      ...(tokens.tokenFile === undefined ? [] : [`clients need the token in ${tokens.tokenFile}`]),
    ],
    close: () => audit.log.close(),
  };
}

/** The options that need no files. Throws a usage error. */
export function flagOptions(values: Values) {
  const { host, port } = parseListen(values.text("listen"));
  const mib = positiveOption(values, "max-message");
  const maxSessions = positiveOption(values, "max-sessions");
  return {
    server: {
      host,
      port,
      isInsecureAllowed: values.flag("insecure"),
      hostNames: values.list("host-name"),
      origins: values.list("origin").map(checkedOrigin),
      graceMs: timeOption(values, "grace"),
      maxConnections: positiveOption(values, "max-connections"),
      limits: {
        maxMessageBytes: mib === undefined ? undefined : mib * MIB,
        maxSessions,
        idleMs: timeOption(values, "connection-idle"),
        stallMs: timeOption(values, "stall-timeout"),
      },
    },
    hub: {
      maxSessions: maxSessions ?? MAX_SESSIONS,
      idleMs: timeOption(values, "agent-idle") ?? AGENT_IDLE_MS,
      sessionIdleMs: timeOption(values, "session-idle") ?? SESSION_IDLE_MS,
    },
  } satisfies { readonly server: Partial<ServeHubOptions>; readonly hub: Partial<HubLimits> };
}

async function openOwners(path: string, print: (text: string) => void): Promise<SessionOwners> {
  const failed = ({ message }: Error): void => {
    print(`could not save the owner of a session: ${message}`);
  };
  return fileOwners(path, failed).catch((error: unknown) => {
    throw usageError(`could not use ${path}: ${messageOf(error)}`);
  });
}

function pathOf({ webSocketUrl }: HubServer, name: string, agents: number): string {
  return agents === 1 ? webSocketUrl : `${webSocketUrl}/${encodeURIComponent(name)}`;
}

/** Browsers send an origin without a path. One with a path would never match. */
function checkedOrigin(text: string): string {
  if (isOrigin(text)) return text;
  const origin = URL.canParse(text) ? new URL(text).origin : "null";
  throw usageError(
    `--origin "${text}" is not an origin`,
    origin === "null" ? "--origin https://editor.example" : `--origin ${origin}`,
  );
}

/** The certificate of `--tls-cert` and `--tls-key`. Throws a usage error if one is missing. */
export function tlsOf(values: Values, io: Io): FromFiles<TlsCredentials> | undefined {
  const cert = values.text("tls-cert");
  const key = values.text("tls-key");
  if (cert === undefined && key === undefined) return undefined;
  if (cert === undefined || key === undefined) {
    throw usageError("--tls-cert and --tls-key need each other");
  }
  return {
    files: [resolve(io.cwd, cert), resolve(io.cwd, key)],
    load: async () => ({
      cert: await readPem(io, cert, "certificate"),
      key: await readPem(io, key, "key"),
    }),
  };
}

async function readPem(io: Io, file: string, what: string): Promise<string> {
  const bytes = await readGivenFile(resolve(io.cwd, file), file, { maxBytes: MIB, what });
  return bytes.toString("utf8");
}

const DEFAULT_PORT = 8790;
const MAX_PORT = 65_535;

/**
 * Reads where to listen: `HOST:PORT`, `[IPV6]:PORT`, or `PORT` for the loopback addresses. Throws a usage error. Pure.
 */
export function parseListen(text: string | undefined) {
  if (text === undefined) return { host: undefined, port: DEFAULT_PORT };
  const match = /^(?:(?:\[([\da-f:.]+)\]|([^:[\]\s/]+)):)?(\d{1,5})$/i.exec(text);
  const port = Number(match?.[3]);
  if (!match || port > MAX_PORT) {
    throw usageError(
      `--listen "${text}" is not HOST:PORT`,
      "--listen 127.0.0.1:8790, --listen [::1]:8790 or --listen 0.0.0.0:8790",
    );
  }
  return { host: match[1] ?? match[2], port };
}

/** The name of the working folder if its own cannot be used. */
const FALLBACK_NAME = "root";

/** The folders of `--root`; without it, the working folder. Throws a usage error. */
export async function rootsOf({ io, values, cwd }: Context): Promise<HubRoots> {
  const given = values.list("root");
  try {
    if (given.length === 0) return await workingFolder(cwd);
    return await openRoots(given.map((text) => parseRoot(text, io.cwd)));
  } catch (error) {
    throw error instanceof RootError ? usageError(error.message) : error;
  }
}

async function workingFolder(cwd: string): Promise<HubRoots> {
  try {
    return await openRoots([parseRoot(cwd, cwd)]);
  } catch (error) {
    if (!(error instanceof RootError)) throw error;
    return openRoots([{ name: FALLBACK_NAME, folder: cwd }]);
  }
}
