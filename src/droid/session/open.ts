import { type JsonObject, stringsField } from "../../base/index.ts";
import type { DroidSessionOptions, NewDroidSessionOptions } from "../options.ts";
import type { DroidConnection } from "../process/connection.ts";
import { METHODS } from "../protocol/methods.ts";
import {
  type DroidMcpServer,
  type McpServerReport,
  readSessionInfo,
  systemPromptParams,
  tagParams,
  toolParams,
  type DroidSystemPrompt,
} from "../protocol/session.ts";
import {
  changeTo,
  type DroidSettings,
  type IgnoredSetting,
  ignoredSettings,
  type SettingsChange,
  settingsParams,
  type ToolSelection,
} from "../protocol/settings.ts";
import type { DroidSession } from "./session.ts";
import { mcpReport, mcpServerParams } from "../protocol/mcp.ts";
import { UnsupportedByDroidError } from "../errors.ts";
import type { DroidVersion } from "../protocol/versions.ts";

/** Which of the requested settings and MCP servers did not take effect when a session was opened. */
export interface SessionReport {
  readonly ignored: readonly IgnoredSetting[];
  readonly mcpServers: readonly McpServerReport[];
}

/** The result of a change of settings. */
export interface SettingsReport {
  readonly settings: DroidSettings;
  /** The requested settings that Droid silently ignored. */
  readonly ignored: readonly IgnoredSetting[];
}

/** Starts a new session in a process that has none. */
export async function openNew(
  session: DroidSession,
  cwd: string,
  options: NewDroidSessionOptions,
): Promise<SessionReport> {
  const { connection } = session;
  await connection.recognized;
  return session.tools.whileOpening(options.mcpServers, async (mcpServers) => {
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
  });
}

/** Loads a session, in a process that has no session or a different one. */
export async function openLoaded(
  session: DroidSession,
  sessionId: string,
  cwd: string,
  options: DroidSessionOptions,
): Promise<SessionReport> {
  const { connection } = session;
  await connection.recognized;
  // 0.57.14 can only load once it has a session. The one started for that purpose stays empty.
  if (!connection.capabilities.loadsDirectly && session.info.sessionId === "")
    await openNew(session, cwd, {});
  return session.tools.whileOpening(options.mcpServers, async (mcpServers) => {
    const params = { sessionId, ...mcpParams(connection, mcpServers) };
    await connection.call("droid.load_session", params, {
      accept: (result) => session.adopt(readSessionInfo(result, sessionId)),
    });
    const { ignored } = await changeSettings(session, options);
    return { ignored, mcpServers: await checkMcp(connection, mcpServers) };
  });
}

/** Changes settings. Droid reports the new settings before it responds, so both can be compared then. */
export async function changeSettings(
  session: DroidSession,
  change: SettingsChange,
): Promise<SettingsReport> {
  const { connection } = session;
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

/** Omits the servers for a version that only echoes them, because they would look as if they were running. */
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
  if (!connection.capabilities.startsMcpServers)
    return mcpServers.map(({ name }) => ({ name, status: "unsupported", tools: [] }));
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
export async function copyAndReopen<T>(session: DroidSession, copy: () => Promise<T>): Promise<T> {
  const { info, settings } = session;
  const result = await copy();
  if (session.connection.capabilities.copiesAside) return result;
  const change = changeTo(settings);
  await changeSettings(session, change);
  // Loading a session resets its tools.
  const { additionalTools, disabledTools } = change;
  const tools = { additionalTools, disabledTools };
  await openLoaded(session, info.sessionId, info.cwd ?? process.cwd(), tools);
  return result;
}

/**
 * Throws UnsupportedByDroidError if a new session lacks the system prompt or the tools that it was
 * opened with: versions that were not tested may ignore them.
 */
export function assertApplied(
  requested: ToolSelection & { readonly systemPrompt?: DroidSystemPrompt | undefined },
  { raw }: DroidSettings,
  version: DroidVersion,
): void {
  const { systemPrompt, restrictTools = [] } = requested;
  if (systemPrompt !== undefined && raw["systemPrompt"] === undefined)
    throw new UnsupportedByDroidError("a system prompt", version);
  const restricted = new Set(stringsField(raw, "restrictToolIds"));
  if (!restrictTools.every((tool) => restricted.has(tool)))
    throw new UnsupportedByDroidError("restrictTools", version);
}
