import { definedFields, isJsonObject, type JsonObject, quietly } from "../../base/index.ts";
import type { ToolRun } from "../tool.ts";

/** Sends a notification. Resolves when the client can take more. */
type Notify = (method: string, params?: JsonObject) => Promise<void>;

/**
 * Reports the progress of one call. While the client cannot take more, only the latest report is kept,
 * so that a tool may report as often as it likes.
 */
export class ProgressReports {
  readonly #notify: Notify;
  readonly #token: unknown;
  #latest: JsonObject | undefined;
  #isSending = false;

  constructor(params: JsonObject | undefined, notify: Notify) {
    const meta = params?.["_meta"];
    this.#token = isJsonObject(meta) ? meta["progressToken"] : undefined;
    this.#notify = notify;
  }

  /** Undefined if the client asked for no progress. */
  get report(): ToolRun["progress"] | undefined {
    if (typeof this.#token !== "string" && typeof this.#token !== "number") return undefined;
    return (progress, total, message) => {
      this.#latest = {
        progressToken: this.#token,
        progress,
        ...definedFields({ total, message }),
      };
      if (!this.#isSending) void quietly(() => this.#send());
    };
  }

  /** Drops the report that waits, because the call is over. */
  stop(): void {
    this.#latest = undefined;
  }

  async #send(): Promise<void> {
    this.#isSending = true;
    try {
      for (let next = this.#take(); next; next = this.#take()) {
        await this.#notify("notifications/progress", next);
      }
    } finally {
      this.#isSending = false;
    }
  }

  #take(): JsonObject | undefined {
    const latest = this.#latest;
    this.#latest = undefined;
    return latest;
  }
}
