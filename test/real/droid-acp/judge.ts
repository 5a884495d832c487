import { expect } from "vitest";
import { FrameChecker } from "../../support/schema.ts";

export type Json = Record<string, unknown>;

export function isJson(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Fork stands in the unstable schema alone, and with it what `initialize` says of it. */
const UNSTABLE = new Set(["initialize", "session/fork"]);

/** Judges every frame of the agent's by the official schema, strictly, whatever drives the agent. */
export class FrameJudge {
  readonly #stable = new FrameChecker("agent");
  readonly #unstable = new FrameChecker("agent", "unstable");
  readonly #asked = new Map<unknown, unknown>();

  /** Shows it a line that one of the sides wrote. */
  saw(from: "agent" | "client", line: string): void {
    const frame: unknown = JSON.parse(line);
    if (!isJson(frame)) throw new Error(`no frame: ${line}`);
    if (from === "client") {
      if (typeof frame["method"] === "string") this.#asked.set(frame["id"], frame["method"]);
      this.#stable.saw("client", line);
      this.#unstable.saw("client", line);
      return;
    }
    const asked = frame["method"] === undefined ? this.#asked.get(frame["id"]) : undefined;
    // Dropped from the protocol, and answered all the same: there is no schema for it.
    if (asked === "session/set_model") return;
    const checker = UNSTABLE.has(String(asked)) ? this.#unstable : this.#stable;
    checker.saw("agent", line);
  }

  verify(): void {
    const faults = [...this.#stable.faults, ...this.#unstable.faults];
    expect(faults, "what the schema has against the frames of the agent").toEqual([]);
  }
}
