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

/** The method that opens a session again; undefined if the agent has none. */
export function reopenMethod(version: number, capabilities: JsonObject): string | undefined {
  if (version >= 2) return "session/resume";
  const session = objectField(capabilities, "sessionCapabilities");
  if (session && session["resume"] !== undefined && session["resume"] !== null) {
    return "session/resume";
  }
  return capabilities["loadSession"] === true ? "session/load" : undefined;
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
  title: string | undefined;
  /** Whether the agent works, in version 2 of the protocol. */
  isRunning = false;
  #opened: JsonObject = {};
  /** The settings that were changed since the session was opened. */
  #modeId: string | undefined;
  #modelId: string | undefined;
  /** The parameters of the last `session/set_config_option` for each option. */
  readonly #config = new Map<string, JsonObject>();

  /** The result with which the agent opened the session, with the settings that changed since. */
  get opened(): JsonObject {
    const { modes } = this.#opened;
    const modeId = this.#modeId;
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
        this.#modeId = stringField(params, "modeId");
        return;
      case "session/set_model":
        this.#modelId = stringField(params, "modelId");
        return;
      case "session/set_config_option":
        this.#config.set(stringField(params, "configId") ?? "", params);
        this.keepOptions(result["configOptions"]);
    }
  }

  observe(update: JsonObject): void {
    switch (stringField(update, "sessionUpdate") ?? "") {
      case "current_mode_update":
        this.#modeId = stringField(update, "currentModeId") ?? this.#modeId;
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

  /** Opens the session in a new process and restores its settings. Returns the method used. */
  async reopen(
    connection: AgentLink,
    method: string | undefined,
    sessionId: string,
    params: JsonObject,
  ): Promise<string> {
    if (method === undefined) throw lost(sessionId, "the agent cannot open sessions again");
    const kept = Object.fromEntries(
      KEPT.flatMap((key) => (key in params ? [[key, params[key]]] : [])),
    );
    const result = await connection.call(method, { sessionId, ...kept }).catch((error: unknown) => {
      throw error instanceof RpcError ? lost(sessionId, error.message) : error;
    });
    for (const [setter, setting] of this.#changed(result)) {
      // The session works without the setting, and the agent reports its own.
      await connection.call(setter, { ...setting, sessionId }).catch((error: unknown) => {
        if (!(error instanceof RpcError)) throw error;
      });
    }
    return method;
  }

  /** The calls that set the mode, the model and the options that differ in a new process. */
  #changed(result: JsonObject): readonly (readonly [method: string, params: JsonObject])[] {
    const [modeId, modelId] = [this.#modeId, this.#modelId];
    const mode = asObject(result["modes"])["currentModeId"];
    const model = asObject(result["models"])["currentModelId"];
    const calls: [method: string, params: JsonObject][] = [];
    if (modeId !== undefined && mode !== modeId) calls.push(["session/set_mode", { modeId }]);
    if (modelId !== undefined && model !== modelId) calls.push(["session/set_model", { modelId }]);
    const values = new Map(
      objectsField(result, "configOptions").map(({ id, currentValue }) => [id, currentValue]),
    );
    for (const [configId, params] of this.#config) {
      if (values.get(configId) !== params["value"]) {
        calls.push(["session/set_config_option", params]);
      }
    }
    return calls;
  }
}

/** The parameters of a session that do not change when it is opened again. */
const KEPT = ["cwd", "mcpServers", "additionalDirectories"];

function lost(sessionId: string, why: string): RpcError {
  const message = `The agent was started again, but the session could not be opened again: ${why}`;
  return new RpcError(HUB_CODES.unknownSession, message, { sessionId, reason: "session_lost" });
}
