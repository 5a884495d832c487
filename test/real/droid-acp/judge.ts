import { expect } from "vitest";
import { FrameChecker } from "../../support/schema.ts";

export type Json = Record<string, unknown>;

export function isJson(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * Only the unstable schema has these methods, their capabilities in the response to `initialize`, and
 * the usage in the response to a prompt.
 */
const UNSTABLE = new Set(["initialize", "session/fork", "session/set_title", "session/prompt"]);
/** Updates that only the unstable schema has. A client must ask for them. */
const UNSTABLE_UPDATES = new Set(["plan_update", "plan_removed", "subagent_update"]);

/** Checks every frame from the agent against the official schema, strictly. */
export class FrameJudge {
  readonly #stable: FrameChecker;
  readonly #unstable: FrameChecker;
  readonly #requests = new Map<unknown, unknown>();

  constructor(version: 1 | 2 = 1) {
    // On v2, baseline updates may carry fields that only its unstable schema has, such as the usage.
    this.#stable = new FrameChecker("agent", version === 1 ? "stable" : "v2 unstable");
    this.#unstable = new FrameChecker("agent", version === 1 ? "unstable" : "v2 unstable");
  }

  /** Takes a line that one of the sides sent. */
  saw(from: "agent" | "client", line: string): void {
    const frame: unknown = JSON.parse(line);
    if (!isJson(frame)) throw new Error(`not a frame: ${line}`);
    if (from === "client") {
      if (typeof frame["method"] === "string") this.#requests.set(frame["id"], frame["method"]);
      this.#stable.saw("client", line);
      this.#unstable.saw("client", line);
      return;
    }
    const method = frame["method"] === undefined ? this.#requests.get(frame["id"]) : undefined;
    // ACP has dropped this method, so there is no schema for it, but droid-acp still supports it.
    if (method === "session/set_model") return;
    const isUnstable = UNSTABLE.has(String(method)) || UNSTABLE_UPDATES.has(updateKind(frame));
    const checker = isUnstable ? this.#unstable : this.#stable;
    checker.saw("agent", line);
  }

  verify(): void {
    const faults = [...this.#stable.faults, ...this.#unstable.faults];
    expect(faults, "schema violations in frames from the agent").toEqual([]);
  }
}

function updateKind({ params }: Json): string {
  const update = isJson(params) ? params["update"] : undefined;
  return isJson(update) ? String(update["sessionUpdate"]) : "";
}
