import { messageOf } from "../../../../base/index.ts";
import { resolve } from "node:path";
import {
  type AuditEntry,
  type AuditLog,
  defaultAuditFile,
  hubPolicy,
  openAuditLog,
  type HubOptions,
  type SessionPolicy,
} from "../../../../host/hub/index.ts";
import type { SelectedAgent } from "../../agents/select.ts";
import { usageError } from "../../shell/exit.ts";
import { rulesFileOf } from "../../permissions/from-flags.ts";
import type { Context } from "../../context/context.ts";

/** Everything that the proxy changes and decides about. */
export interface ProxyRules {
  readonly options: Pick<HubOptions, "policy" | "onUnjudged" | "capabilities" | "checkOpen">;
  /** Writes the last decisions. */
  close(): Promise<void>;
}

/**
 * The rules of the flags. If there is an audit log, the recording gets every decision too. Throws a usage
 * error for an invalid rules file or audit log.
 */
export async function proxyRules(
  context: Context,
  agent: SelectedAgent,
  recording?: { decision(entry: AuditEntry): void },
): Promise<ProxyRules> {
  const { values } = context;
  const rules = await rulesFileOf(context);
  const audit = await auditOf(context);
  const record = (entry: AuditEntry): Promise<void> => {
    recording?.decision(entry);
    return audit?.record(entry) ?? Promise.resolve();
  };
  const decisions = audit && { record };
  const policies = hubPolicy({ rules, audit: decisions, files: "client" });
  const { policy, capabilities, onUnjudged } = policies;
  const isApart = agent.remote !== undefined && !values.flag("remote-files");
  const cwd = agent.remote && values.text("cwd");
  return {
    options: {
      policy: isApart ? (session) => new WithoutFiles(policy?.(session)) : policy,
      onUnjudged,
      capabilities: isApart ? withoutFiles : capabilities,
      // The editor's folder means nothing on a server.
      checkOpen: cwd === undefined ? undefined : ({ params }) => ({ ...params, cwd }),
    },
    close: async () => audit?.close(),
  };
}

/** The file of `--audit-log`. Rules are logged even without the option. */
async function auditOf({ io, values, renderer }: Context): Promise<AuditLog | undefined> {
  const given = values.text("audit-log");
  if (given === undefined && values.text("permissions") === undefined) return undefined;
  const file = given === undefined ? defaultAuditFile(io) : resolve(io.cwd, given);
  const onError = (error: unknown): void =>
    renderer.note(`could not write the audit log ${file}: ${messageOf(error)}`);
  return openAuditLog(file, { onError }).catch((error: unknown) => {
    throw usageError(`could not open the audit log ${file}: ${messageOf(error)}`);
  });
}

/** Pure: what a client announces, without files and terminals. */
function withoutFiles(capabilities: object): { readonly [key: string]: unknown } {
  const fs = { readTextFile: false, writeTextFile: false };
  return { ...capabilities, fs, terminal: false };
}

const METHOD_NOT_FOUND = -32601;

/** Refuses files and terminals of this machine to an agent on a server, which asks although it must not. */
class WithoutFiles implements SessionPolicy {
  readonly #policy: SessionPolicy | undefined;

  constructor(policy: SessionPolicy | undefined) {
    this.#policy = policy;
  }

  update(...args: Parameters<NonNullable<SessionPolicy["update"]>>): void {
    this.#policy?.update?.(...args);
  }

  request(request: Parameters<SessionPolicy["request"]>[0]): ReturnType<SessionPolicy["request"]> {
    const { method } = request;
    if (/^(?:fs|terminal)\//.test(method)) {
      const message = `${method} is not offered to an agent on a server`;
      return { kind: "error", code: METHOD_NOT_FOUND, message };
    }
    return this.#policy?.request(request) ?? { kind: "forward" };
  }

  answered(...args: Parameters<NonNullable<SessionPolicy["answered"]>>): void {
    this.#policy?.answered?.(...args);
  }

  agentEnded(): void {
    this.#policy?.agentEnded?.();
  }

  async close(): Promise<void> {
    await this.#policy?.close();
  }
}
