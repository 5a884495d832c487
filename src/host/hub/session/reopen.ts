import { HUB_CODES } from "../errors.ts";
import { RpcError } from "../../../transport/rpc/index.ts";
import {
  asObject,
  type JsonObject,
  objectField,
  objectsField,
  RestartableTimer,
  isJsonObject,
  stringField,
} from "../../../base/index.ts";
import type { AgentLink } from "../agent/link.ts";

/** The settings of a session that were changed since it was opened. */
export interface SessionSettings {
  modeId: string | undefined;
  modelId: string | undefined;
  /** The parameters of the last `session/set_config_option` for each option. */
  readonly config: Map<string, JsonObject>;
}

/** A session as a new process of its agent has to open it. */
export interface ReopenedSession {
  readonly sessionId: string;
  readonly params: JsonObject;
  readonly settings: Readonly<SessionSettings>;
}

/** The method that opens a session again; undefined if the agent has none. */
export function reopenMethod(version: number, capabilities: JsonObject): string | undefined {
  if (version >= 2) return "session/resume";
  const session = objectField(capabilities, "sessionCapabilities");
  if (session && session["resume"] !== undefined && session["resume"] !== null) {
    return "session/resume";
  }
  return capabilities["loadSession"] === true ? "session/load" : undefined;
}

/** The parameters of a session that do not change when it is opened again. */
const KEPT = ["cwd", "mcpServers", "additionalDirectories"];

/** Opens a session in a new process and restores its settings. Returns the method used. */
export async function reopen(
  connection: AgentLink,
  method: string | undefined,
  { sessionId, params, settings }: ReopenedSession,
): Promise<string> {
  if (method === undefined) throw lost(sessionId, "the agent cannot open sessions again");
  const kept = Object.fromEntries(
    KEPT.flatMap((key) => (key in params ? [[key, params[key]]] : [])),
  );
  const result = await connection.call(method, { sessionId, ...kept }).catch((error: unknown) => {
    if (error instanceof RpcError) throw lost(sessionId, error.message);
    throw error;
  });
  await restore(connection, sessionId, settings, result);
  return method;
}

function lost(sessionId: string, why: string): RpcError {
  const message = `The agent was started again, but the session could not be opened again: ${why}`;
  return new RpcError(HUB_CODES.unknownSession, message, { sessionId, reason: "session_lost" });
}

/** Sets the mode, the model and the options that differ. */
async function restore(
  connection: AgentLink,
  sessionId: string,
  { modeId, modelId, config }: Readonly<SessionSettings>,
  result: JsonObject,
): Promise<void> {
  const mode = asObject(result["modes"])["currentModeId"];
  const model = asObject(result["models"])["currentModelId"];
  const calls: [method: string, params: JsonObject][] = [];
  if (modeId !== undefined && mode !== modeId) calls.push(["session/set_mode", { modeId }]);
  if (modelId !== undefined && model !== modelId) calls.push(["session/set_model", { modelId }]);
  const values = new Map(
    objectsField(result, "configOptions").map((option) => [option["id"], option["currentValue"]]),
  );
  for (const [configId, params] of config) {
    if (values.get(configId) !== params["value"]) calls.push(["session/set_config_option", params]);
  }
  for (const [method, params] of calls) {
    // The session works without the setting, and the agent reports its own.
    await connection.call(method, { ...params, sessionId }).catch((error: unknown) => {
      if (!(error instanceof RpcError)) throw error;
    });
  }
}

/** The replay goes on until nothing has arrived for this long. */
const SILENCE_MS = 300;

/** The updates with which a new process repeats a conversation that the clients know already. */
export class Replay {
  readonly connection: object;
  #timer: RestartableTimer | undefined;

  constructor(connection: object) {
    this.connection = connection;
  }

  arrived(): void {
    this.#timer?.restart();
  }

  /** Waits for the rest of a replay: Gemini CLI 0.61.0 answers before it has replayed everything. */
  silence(): Promise<void> {
    return new Promise((resolve) => {
      this.#timer = new RestartableTimer(SILENCE_MS, resolve);
    });
  }
}

/** The facts about a session that a hub needs to list it and to open it again. */
export class SessionRecord {
  readonly settings: SessionSettings = { modeId: undefined, modelId: undefined, config: new Map() };
  title: string | undefined;
  /** Whether the agent works, in version 2 of the protocol. */
  isRunning = false;
  #opened: JsonObject = {};

  /** The result with which the agent opened the session, with the settings that changed since. */
  get opened(): JsonObject {
    const { modes } = this.#opened;
    const { modeId } = this.settings;
    if (!isJsonObject(modes) || modeId === undefined) return this.#opened;
    return { ...this.#opened, modes: { ...modes, currentModeId: modeId } };
  }

  set opened(result: JsonObject) {
    this.#opened = result;
  }

  /** Keeps the complete list of options that the agent reported last. */
  keepOptions(options: unknown): void {
    if (Array.isArray(options)) this.#opened = { ...this.#opened, configOptions: options };
  }

  /** The agent accepted a change of a setting. */
  wasSet(method: string, params: JsonObject, result: JsonObject): void {
    switch (method) {
      case "session/set_mode":
        this.settings.modeId = stringField(params, "modeId");
        return;
      case "session/set_model":
        this.settings.modelId = stringField(params, "modelId");
        return;
      case "session/set_config_option":
        this.settings.config.set(stringField(params, "configId") ?? "", params);
        this.keepOptions(result["configOptions"]);
    }
  }

  observe(update: JsonObject): void {
    switch (stringField(update, "sessionUpdate") ?? "") {
      case "current_mode_update":
        this.settings.modeId = stringField(update, "currentModeId") ?? this.settings.modeId;
        return;
      case "config_option_update":
        this.keepOptions(update["configOptions"]);
        return;
      case "session_info_update":
        this.title = stringField(update, "title") ?? this.title;
        return;
      case "state_update":
        this.isRunning = update["state"] !== "idle";
    }
  }
}
