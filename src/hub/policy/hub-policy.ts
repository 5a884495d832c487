import { type JsonObject, objectField } from "../../wire/index.ts";
import type { HubOptions } from "../options.ts";
import type { HubPolicyOptions } from "./policy-options.ts";
import { RuledSession } from "./ruled-session.ts";

/**
 * The part of a hub's options that decides about the requests of agents: by rules, and otherwise by the
 * clients. Both are undefined if there is nothing to decide here.
 */
export function hubPolicy(
  options: HubPolicyOptions,
): Required<Pick<HubOptions, "policy" | "capabilities">> {
  const { rules, files, audit } = options;
  const hasPolicy = rules !== undefined || files === "server" || audit !== undefined;
  return {
    policy: hasPolicy ? (session) => new RuledSession(session, options) : undefined,
    capabilities: files === "server" ? withFiles : undefined,
  };
}

/** Pure: what a client announces, with files and terminals. */
function withFiles(capabilities: JsonObject): JsonObject {
  const fs = { ...objectField(capabilities, "fs"), readTextFile: true, writeTextFile: true };
  return { ...capabilities, fs, terminal: true };
}
