import { expect } from "vitest";
import { FrameChecker } from "../../support/schema.ts";

export type Json = Record<string, unknown>;

export function isJson(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Only the unstable schema has fork, and the capability for it in the response to `initialize`. */
const UNSTABLE = new Set(["initialize", "session/fork"]);

/** Checks every frame from the agent against the official schema, strictly. */
export class FrameJudge {
  readonly #stable = new FrameChecker("agent");
  readonly #unstable = new FrameChecker("agent", "unstable");
  readonly #requests = new Map<unknown, unknown>();

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
    const checker = UNSTABLE.has(String(method)) ? this.#unstable : this.#stable;
    checker.saw("agent", line);
  }

  verify(): void {
    const faults = [...this.#stable.faults, ...this.#unstable.faults];
    expect(faults, "schema violations in frames from the agent").toEqual([]);
  }
}
