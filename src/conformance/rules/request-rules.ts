import { isAbsolutePath } from "../../protocol/acp/index.ts";
import { asObject, isJsonObject, type JsonObject } from "../../base/index.ts";
import type { Connection } from "./connection.ts";
import { agentRequest, shortJson } from "./parts.ts";
import type { Rule } from "./rule.ts";

const files: Rule = {
  ids: ["DRA-FS-01"],
  side: "agent",
  watch:
    ({ connection }) =>
    (frame, report) => {
      const request = agentRequest(frame);
      if (!request?.method.startsWith("fs/")) return;
      const problem = fileProblem(request.params, connection);
      if (problem === undefined) report.kept("DRA-FS-01");
      else {
        report.broken("DRA-FS-01", {
          expected: "an absolute path, a session of this connection, and lines from 1",
          actual: problem,
        });
      }
    },
};

function fileProblem(
  { path, sessionId, line }: JsonObject,
  { sessions }: Connection,
): string | undefined {
  if (!isAbsolutePath(path)) return `the path ${shortJson(path)}`;
  if (typeof sessionId !== "string" || !sessions.has(sessionId)) {
    return `the session ${shortJson(sessionId)}`;
  }
  return typeof line === "number" && line < 1 ? `line ${line}` : undefined;
}

const terminals: Rule = {
  ids: ["DRA-TERM-02"],
  side: "agent",
  watch: () => (frame, report) => {
    const request = agentRequest(frame);
    if (request?.method !== "terminal/create") return;
    const { cwd = null, env = null } = request.params;
    if (cwd !== null && !isAbsolutePath(cwd)) {
      report.broken("DRA-TERM-02", {
        expected: "an absolute cwd",
        actual: `the cwd ${shortJson(cwd)}`,
      });
    } else if (env !== null && !Array.isArray(env)) {
      report.broken("DRA-TERM-02", {
        expected: "env as an array",
        actual: `env ${shortJson(env)}`,
      });
    } else report.kept("DRA-TERM-02");
  },
};

/** Names of fields that ask for a secret. */
const SECRET_NAME = /pass(?:word|phrase|code)|secret|api[-_ ]?key|credential|private[-_ ]?key/i;

const elicitations: Rule = {
  ids: ["DRA-ELI-01", "DRA-ELI-03"],
  side: "agent",
  watch:
    ({ connection }) =>
    (frame, report) => {
      const request = agentRequest(frame);
      if (request?.method !== "elicitation/create") return;
      const { params } = request;
      const problem = elicitationProblem(params) ?? sharedId(params, connection, frame.n);
      if (problem === undefined) report.kept("DRA-ELI-01");
      else {
        report.broken("DRA-ELI-01", {
          expected: "one scope, a mode, a flat schema, and an id that no open elicitation has",
          actual: problem,
        });
      }
      if (params["mode"] !== "form") return;
      const secret = Object.keys(propertiesOf(params)).find((name) => SECRET_NAME.test(name));
      if (secret === undefined) report.kept("DRA-ELI-03");
      else {
        report.broken("DRA-ELI-03", {
          expected: "no field for a secret",
          actual: `the field ${shortJson(secret)}`,
        });
      }
    },
};

function propertiesOf(params: JsonObject): JsonObject {
  return asObject(asObject(params["requestedSchema"])?.["properties"]) ?? {};
}

function elicitationProblem(params: JsonObject): string | undefined {
  const { sessionId = null, requestId = null, mode } = params;
  if ((sessionId === null) === (requestId === null)) {
    return sessionId === null ? "no scope" : "both sessionId and requestId";
  }
  if (typeof mode !== "string") return "no mode";
  const nested = Object.entries(propertiesOf(params)).find(
    ([, field]) => isJsonObject(field) && (field["type"] === "object" || "properties" in field),
  );
  return nested && `the nested field ${shortJson(nested[0])}`;
}

function sharedId(
  { elicitationId }: JsonObject,
  connection: Connection,
  n: number,
): string | undefined {
  if (elicitationId === undefined) return undefined;
  const other = connection
    .open("agent")
    .find((open) => open.n !== n && open.params["elicitationId"] === elicitationId);
  return other && `the id ${shortJson(elicitationId)}, which another open elicitation has`;
}

/** Rules about requests of agents of version 1. */
export const REQUEST_RULES: readonly Rule[] = [files, terminals, elicitations];
