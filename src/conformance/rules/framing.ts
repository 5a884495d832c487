import { isJsonObject, type JsonObject } from "../../base/index.ts";
import { methodsOf } from "../schema/methods.ts";
import { lineProblem, shortJson } from "./parts.ts";
import type { Rule, RuleReport } from "./rule.ts";

const lines: Rule = {
  ids: ["ACP-TRANSPORT-001", "ACP-TRANSPORT-002"],
  side: "agent",
  watch: () => (frame, report) => {
    if (frame.from !== "agent") return;
    const problem = lineProblem(frame);
    if (problem === undefined) report.kept("ACP-TRANSPORT-001");
    else {
      report.broken("ACP-TRANSPORT-001", {
        expected: "one JSON-RPC 2.0 object per line",
        actual: `a line that ${problem}`,
      });
    }
    if (frame.isNotUtf8) {
      report.broken("ACP-TRANSPORT-002", {
        expected: "valid UTF-8",
        actual: "bytes that are not UTF-8",
      });
    } else report.kept("ACP-TRANSPORT-002");
  },
};

const responses: Rule = {
  ids: ["ACP-JSONRPC-002", "DRA-RPC-01", "ACP-ERROR-001", "DRA-ERR-01"],
  side: "agent",
  watch:
    ({ connection }) =>
    (frame, report) => {
      const { from, message, value } = frame;
      if (from !== "agent" || !isJsonObject(value)) return;
      if (message.kind !== "result" && message.kind !== "error") return;
      judgeForm(value, report);
      if (connection.answeredBefore) {
        const { method, n, answeredBy = frame.n } = connection.answeredBefore;
        report.broken("DRA-RPC-01", {
          expected: `one response to ${method}`,
          actual: "a second response",
          frames: [n, answeredBy, frame.n],
        });
      } else if (connection.answered) report.kept("DRA-RPC-01");
      else if (message.id !== null) {
        report.broken("DRA-RPC-01", {
          expected: "responses to requests of the client",
          actual: `a response with the id ${shortJson(message.id)}, which no request has`,
        });
      }
      if (message.kind === "error" && isJsonObject(message.error))
        judgeError(message.error, report);
    },
};

function judgeForm(value: JsonObject, report: RuleReport): void {
  const { error } = value;
  if ("result" in value && "error" in value) {
    report.broken("ACP-JSONRPC-002", {
      expected: "a result or an error",
      actual: "both a result and an error",
    });
  } else if ("error" in value && !isErrorObject(error)) {
    report.broken("ACP-JSONRPC-002", {
      expected: "an error with an integer code and a text",
      actual: `the error ${shortJson(error)}`,
    });
  } else report.kept("ACP-JSONRPC-002");
}

function isErrorObject(error: unknown): boolean {
  return (
    isJsonObject(error) && Number.isInteger(error["code"]) && typeof error["message"] === "string"
  );
}

function judgeError({ code, message }: JsonObject, report: RuleReport): void {
  if (typeof message === "string") {
    if (message.trim() === "" || /[\r\n]/.test(message)) {
      report.broken("ACP-ERROR-001", {
        expected: "one line that is not empty",
        actual: `the message ${shortJson(message)}`,
      });
    } else report.kept("ACP-ERROR-001");
  }
  if (typeof code !== "number") return;
  if (code >= 100 && code < 600) {
    report.broken("DRA-ERR-01", {
      expected: "a code of JSON-RPC or ACP",
      actual: `the HTTP status ${code}`,
    });
  } else report.kept("DRA-ERR-01");
}

const methods: Rule = {
  ids: ["DRA-EXT-02"],
  side: "agent",
  watch:
    ({ connection }) =>
    (frame, report) => {
      const { from, message } = frame;
      if (from !== "agent" || !("method" in message)) return;
      const { method } = message;
      if (method.startsWith("_")) report.kept("DRA-EXT-02");
      else if (!methodsOf(connection.version).has(method)) {
        report.broken("DRA-EXT-02", {
          expected: "a method of the protocol, or a name that begins with an underscore",
          actual: `the method ${method}`,
        });
      } else report.kept("DRA-EXT-02");
    },
};

const secrets: Rule = {
  ids: ["DRA-AUTH-05"],
  side: "agent",
  watch:
    ({ connection }) =>
    (frame, report) => {
      if (frame.from !== "agent" || connection.secrets.length === 0) return;
      if (connection.secrets.some((secret) => frame.line.includes(secret))) {
        report.broken("DRA-AUTH-05", {
          expected: "no secret of the environment in a message",
          actual: "a message with the value of DRAGOMAN_CHECK_API_KEY",
        });
      } else report.kept("DRA-AUTH-05");
    },
};

/** Rules about lines and JSON-RPC, for every version. */
export const FRAMING_RULES: readonly Rule[] = [lines, responses, methods, secrets];
