import { isJsonObject, type JsonObject, stringField } from "../../../base/index.ts";
import type { SessionSettings } from "./reopen.ts";

/** The facts about a session that a hub needs to list it and to open it again. */
export class SessionRecord {
  readonly settings: SessionSettings = { modeId: undefined, modelId: undefined, config: new Map() };
  /** The title that the agent gave the session last. */
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
