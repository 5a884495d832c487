import { isJsonObject, type JsonObject } from "../../base/index.ts";
import type { Connection } from "./connection.ts";
import { objectsIn, shortJson, updateIn } from "./parts.ts";
import type { Rule } from "./rule.ts";

/** Updates that a client has to offer to take, and the capability. */
const OFFERED: Readonly<Record<string, string>> = {
  notice: "notices",
  compaction_update: "compaction",
  compaction_summary_chunk: "compaction",
};

const scope: Rule = {
  ids: ["DRA-UPD-01"],
  side: "agent",
  watch:
    ({ connection }) =>
    (frame, report) => {
      const seen = updateIn(frame);
      if (!seen) return;
      const { sessionId, kind } = seen;
      if (!isKnownSession(connection, sessionId)) {
        report.broken("DRA-UPD-01", {
          expected: "an update of a session of this connection",
          actual: `an update of the session ${shortJson(sessionId)}`,
        });
        return;
      }
      const capability = typeof kind === "string" ? OFFERED[kind] : undefined;
      const { session } = connection.clientCapabilities;
      const offered = isJsonObject(session) ? session : {};
      if (capability !== undefined && !isJsonObject(offered[capability])) {
        report.broken("DRA-UPD-01", {
          expected: `no ${String(kind)}, because the client does not offer session.${capability}`,
          actual: `a ${String(kind)}`,
        });
      } else report.kept("DRA-UPD-01");
    },
};

/** The id of a new session is unknown until its response, which may come after the first updates. */
function isKnownSession(connection: Connection, sessionId: unknown): boolean {
  if (typeof sessionId !== "string") return false;
  if (connection.sessions.has(sessionId)) return true;
  return connection.open("client").some(({ method }) => /^session\/(?:new|fork)$/.test(method));
}

const ROLES: Readonly<Record<string, string>> = {
  user_message_chunk: "user",
  agent_message_chunk: "agent",
  agent_thought_chunk: "agent",
};

const messageIds: Rule = {
  ids: ["DRA-UPD-02"],
  side: "agent",
  watch: () => {
    const roles = new Map<string, { readonly role: string; readonly n: number }>();
    return (frame, report) => {
      const seen = updateIn(frame);
      const role = typeof seen?.kind === "string" ? ROLES[seen.kind] : undefined;
      const messageId = seen?.update["messageId"];
      if (!seen || role === undefined || typeof messageId !== "string") return;
      const key = JSON.stringify([seen.sessionId, messageId]);
      const known = roles.get(key);
      if (!known) roles.set(key, { role, n: frame.n });
      if (known && known.role !== role) {
        report.broken("DRA-UPD-02", {
          expected: `the message ${messageId} stays one of the ${known.role}`,
          actual: `the same id for a message of the ${role}`,
          frames: [known.n, frame.n],
        });
      } else report.kept("DRA-UPD-02");
    };
  },
};

const usage: Rule = {
  ids: ["DRA-USE-01"],
  side: "agent",
  watch: () => (frame, report) => {
    const seen = updateIn(frame);
    if (seen?.kind !== "usage_update") return;
    const problem = usageProblem(seen.update);
    if (problem === undefined) report.kept("DRA-USE-01");
    else {
      report.broken("DRA-USE-01", {
        expected: "numbers that are not negative, and a currency code of ISO 4217",
        actual: problem,
      });
    }
  },
};

function usageProblem({ used, size, cost }: JsonObject): string | undefined {
  for (const [name, value] of Object.entries({ used, size })) {
    if (typeof value === "number" && value < 0) return `${name} is ${value}`;
  }
  if (!isJsonObject(cost)) return undefined;
  const { amount, currency } = cost;
  if (typeof amount === "number" && amount < 0) return `the cost is ${amount}`;
  if (typeof currency === "string" && !/^[A-Z]{3}$/.test(currency)) {
    return `the currency is ${shortJson(currency)}`;
  }
  return undefined;
}

const commands: Rule = {
  ids: ["DRA-CMD-01"],
  side: "agent",
  watch: () => (frame, report) => {
    const seen = updateIn(frame);
    if (seen?.kind !== "available_commands_update") return;
    const problem = commandProblem(objectsIn(seen.update["availableCommands"]));
    if (problem === undefined) report.kept("DRA-CMD-01");
    else {
      report.broken("DRA-CMD-01", {
        expected: "unique names without a slash in front, and a hint where input is taken",
        actual: problem,
      });
    }
  },
};

function commandProblem(list: readonly JsonObject[]): string | undefined {
  const names = new Set<unknown>();
  for (const { name, input } of list) {
    if (names.has(name)) return `two commands with the name ${shortJson(name)}`;
    names.add(name);
    if (typeof name === "string" && name.startsWith("/")) return `the name ${shortJson(name)}`;
    if (isJsonObject(input) && !isText(input["hint"])) return `${shortJson(name)} has no hint`;
  }
  return undefined;
}

function isText(value: unknown): boolean {
  return typeof value === "string" && value !== "";
}

/** Rules about updates of version 1. */
export const UPDATE_RULES: readonly Rule[] = [scope, messageIds, usage, commands];
