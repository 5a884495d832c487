import { type JsonObject, objectField } from "../../../base/index.ts";
import type { AuditEntry } from "../audit/entry.ts";
import type { HubOptions, UnjudgedRequest } from "../options.ts";
import type { HubPolicyOptions } from "./policy-options.ts";
import { RuledSession } from "./ruled-session.ts";
import { UNKNOWN_FACTS } from "./verdict.ts";

/**
 * The part of a hub's options that decides about the requests of agents: by rules, and otherwise by the
 * clients. All are undefined if there is nothing to decide here.
 */
export function hubPolicy(
  options: HubPolicyOptions,
): Required<Pick<HubOptions, "policy" | "onUnjudged" | "capabilities">> {
  const { rules, files, audit } = options;
  const hasPolicy = rules !== undefined || files === "server" || audit !== undefined;
  return {
    policy: hasPolicy ? (session) => new RuledSession(session, options) : undefined,
    onUnjudged: audit && ((request) => audit.record(unjudgedEntry(request))),
    capabilities: files === "server" ? withFiles : undefined,
  };
}

/** Pure: the entry of a request that names no open session, or that is ambiguous. */
function unjudgedEntry({ agent, owner, method, sessionId }: UnjudgedRequest): AuditEntry {
  const verdict = { decision: "deny", by: { type: "invalid" } } as const;
  return { agent, owner, session: sessionId ?? "", method, ...UNKNOWN_FACTS, ...verdict };
}

/** Pure: what a client announces, with files and terminals. */
function withFiles(capabilities: JsonObject): JsonObject {
  const fs = { ...objectField(capabilities, "fs"), readTextFile: true, writeTextFile: true };
  return { ...capabilities, fs, terminal: true };
}
