import type { JsonObject } from "../../base/index.ts";
import type { DroidConnection } from "../process/connection.ts";
import {
  mcpReport,
  mcpServerParams,
  unsupportedMcp,
  type DroidMcpServer,
  type McpServerReport,
} from "../protocol/mcp.ts";
import { METHODS } from "../protocol/methods.ts";
import type { NewDroidSessionOptions, DroidSessionOptions } from "../options.ts";
import {
  readSessionInfo,
  assertApplied,
  systemPromptParams,
  tagParams,
  toolParams,
} from "../protocol/session.ts";
import type { DroidSession } from "./session.ts";
import {
  ignoredSettings,
  settingsParams,
  type DroidSettings,
  type IgnoredSetting,
  type SettingsChange,
  changeTo,
} from "../protocol/settings.ts";

/** Which of the requested settings and MCP servers did not take effect when a session was opened. */
export interface SessionReport {
  readonly ignored: readonly IgnoredSetting[];
  readonly mcpServers: readonly McpServerReport[];
}

/** The result of a change of settings. */
export interface SettingsReport {
  /** The settings now in effect. */
  readonly settings: DroidSettings;
  /** The requested settings that Droid silently ignored. */
  readonly ignored: readonly IgnoredSetting[];
}

/** Starts a new session in a process that has none. */
export async function openNew(
  connection: DroidConnection,
  session: DroidSession,
  cwd: string,
  options: NewDroidSessionOptions,
): Promise<SessionReport> {
  await connection.recognized;
  return session.tools.whileOpening(options.mcpServers, (servers) =>
    initialize(connection, session, cwd, options, servers),
  );
}

async function initialize(
  connection: DroidConnection,
  session: DroidSession,
  cwd: string,
  options: NewDroidSessionOptions,
  mcpServers: readonly DroidMcpServer[],
): Promise<SessionReport> {
  const { sessionId, machineId = "dragoman", systemPrompt, tags } = options;
  const params = {
    machineId,
    cwd,
    ...settingsParams(options, connection.capabilities.settings),
    ...(sessionId === undefined ? {} : { sessionId }),
    ...systemPromptParams(systemPrompt, connection),
    ...toolParams(options, connection),
    ...tagParams(tags),
    ...mcpParams(connection, mcpServers),
  };
  await connection.call("droid.initialize_session", params, {
    accept: (result) => session.adopt(readSessionInfo(result)),
  });
  assertApplied(options, session.settings, connection.version);
  return {
    ignored: ignoredSettings(options, session.settings, session.info.models),
    mcpServers: await checkMcp(connection, mcpServers),
  };
}

/** Loads a session, in a process that has no session or a different one. */
export async function openLoaded(
  connection: DroidConnection,
  session: DroidSession,
  sessionId: string,
  cwd: string,
  options: DroidSessionOptions,
): Promise<SessionReport> {
  await connection.recognized;
  // 0.57.14 can only load once it has a session. The one started for that purpose stays empty.
  if (!connection.capabilities.loadsDirectly && session.info.sessionId === "")
    await openNew(connection, session, cwd, {});
  return session.tools.whileOpening(options.mcpServers, (servers) =>
    load(connection, session, sessionId, options, servers),
  );
}

async function load(
  connection: DroidConnection,
  session: DroidSession,
  sessionId: string,
  options: DroidSessionOptions,
  mcpServers: readonly DroidMcpServer[],
): Promise<SessionReport> {
  const params = { sessionId, ...mcpParams(connection, mcpServers) };
  await connection.call("droid.load_session", params, {
    accept: (result) => session.adopt(readSessionInfo(result, sessionId)),
  });
  const { ignored } = await changeSettings(connection, session, options);
  return { ignored, mcpServers: await checkMcp(connection, mcpServers) };
}

/** Changes settings. Droid reports the new settings before it responds, so both can be compared then. */
export async function changeSettings(
  connection: DroidConnection,
  session: DroidSession,
  change: SettingsChange,
): Promise<SettingsReport> {
  const params = {
    ...settingsParams(change, connection.capabilities.settings),
    ...toolParams(change, connection),
  };
  if (Object.keys(params).length === 0) return { settings: session.settings, ignored: [] };
  return connection.call("droid.update_session_settings", params, {
    accept: () => ({
      settings: session.settings,
      ignored: ignoredSettings(change, session.settings, session.info.models),
    }),
  });
}

/**
 * Omits the servers for a version that only echoes them, because they would look as if they were
 * running.
 */
function mcpParams(connection: DroidConnection, mcpServers: readonly DroidMcpServer[]): JsonObject {
  if (mcpServers.length === 0 || !connection.capabilities.startsMcpServers) return {};
  return { mcpServers: mcpServers.map(mcpServerParams) };
}

/** Droid does not report a server that failed to start. Its missing tools are the only sign. */
async function checkMcp(
  connection: DroidConnection,
  mcpServers: readonly DroidMcpServer[],
): Promise<readonly McpServerReport[]> {
  if (mcpServers.length === 0) return [];
  if (!connection.capabilities.startsMcpServers) return unsupportedMcp(mcpServers);
  const { name, read } = METHODS.listMcpTools;
  return mcpReport(mcpServers, await connection.call(name, {}, { accept: read }));
}

/**
 * Makes Droid copy the session (a fork, or a compacted or rewound copy) and stays with the original
 * in every version.
 *
 * 0.99 and 0.117 silently switch to the copy: the next prompt would be stored in it, although the
 * model still sees the whole original. 0.117 gives a compacted copy the default model and autonomy,
 * and may report that only later. So the copy gets all settings of the original before the original
 * is loaded again.
 */
export async function copyAside<T>(
  connection: DroidConnection,
  session: DroidSession,
  copy: () => Promise<T>,
): Promise<T> {
  const { info, settings } = session;
  const result = await copy();
  if (connection.capabilities.copiesAside) return result;
  const change = changeTo(settings);
  await changeSettings(connection, session, change);
  // Loading a session resets its tools.
  const { additionalTools, disabledTools } = change;
  const tools = { additionalTools, disabledTools };
  await openLoaded(connection, session, info.sessionId, info.cwd ?? process.cwd(), tools);
  return result;
}
