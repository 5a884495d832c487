import { MESSAGE_MEMBERS } from "../../transport/rpc/index.ts";
import { isJsonObject, type JsonObject, asObject } from "../../base/index.ts";
import { methodsOf } from "../schema/methods.ts";
import { paramsFaults, resultFaults, schemaName, validatorOf } from "../schema/schema.ts";
import type { SchemaFault } from "../schema/validator.ts";
import type { Connection, JudgedFrame } from "./connection.ts";
import { type Rule, rule, shortJson } from "./rule.ts";
import type { WireLine } from "../../trace/index.ts";

/*
 * Rules for every version about single messages: lines, JSON-RPC and the schema.
 */

const lines = rule("agent", ["ACP-TRANSPORT-001", "ACP-TRANSPORT-002"], () => (frame, judge) => {
  if (frame.from !== "agent") return;
  judge("ACP-TRANSPORT-001", messageProblem(frame));
  judge("ACP-TRANSPORT-002", frame.isNotUtf8 && "bytes that are not UTF-8");
});

const responses = rule(
  "agent",
  ["ACP-JSONRPC-002", "DRA-RPC-01", "ACP-ERROR-001", "DRA-ERR-01"],
  ({ connection }) =>
    ({ from, message, value, n }, judge) => {
      if (from !== "agent" || !isJsonObject(value)) return;
      if (message.kind !== "result" && message.kind !== "error") return;
      judge("ACP-JSONRPC-002", formProblem(value));
      const { answered, answeredBefore } = connection;
      if (answeredBefore) {
        const { method, n: asked, answeredBy = n } = answeredBefore;
        judge("DRA-RPC-01", `a second response to ${method}`, [asked, answeredBy, n]);
      } else if (answered) judge("DRA-RPC-01", undefined);
      else if (message.id !== null)
        judge(
          "DRA-RPC-01",
          `a response with the id ${shortJson(message.id)}, which no request has`,
        );
      if (message.kind !== "error" || !isJsonObject(message.error)) return;
      const { code, message: text } = message.error;
      if (typeof text === "string") {
        const isBad = text.trim() === "" || /[\r\n]/.test(text);
        judge("ACP-ERROR-001", isBad && `the message ${shortJson(text)}, not one line of text`);
      }
      if (typeof code === "number")
        judge("DRA-ERR-01", code >= 100 && code < 600 && `the HTTP status ${code}`);
    },
);

function formProblem(value: JsonObject): string | undefined {
  const { error } = value;
  if (!("error" in value)) return undefined;
  if ("result" in value) return "both a result and an error";
  const isError =
    isJsonObject(error) && Number.isInteger(error["code"]) && typeof error["message"] === "string";
  return isError ? undefined : `the error ${shortJson(error)}`;
}

const methods = rule("agent", ["DRA-EXT-02"], ({ connection }) => ({ from, message }, judge) => {
  if (from !== "agent" || !("method" in message)) return;
  const { method } = message;
  const isKnown = method.startsWith("_") || methodsOf(connection.version).has(method);
  judge("DRA-EXT-02", !isKnown && `the method ${method}, which the protocol does not have`);
});

const secrets = rule("agent", ["DRA-AUTH-05"], ({ connection }) => ({ from, line }, judge) => {
  if (from !== "agent" || connection.secrets.length === 0) return;
  const isShown = connection.secrets.some((secret) => line.includes(secret));
  judge("DRA-AUTH-05", isShown && "a message with the value of DRAGOMAN_CHECK_API_KEY");
});

/** Methods whose result is null in the examples of the docs, and an object in the schema. */
const NULL_RESULTS: ReadonlySet<string> = /* @__PURE__ */ new Set([
  "session/load",
  "fs/write_text_file",
]);

/**
 * The faults of a frame that neither the stable nor the unstable schema allows; undefined if the frame
 * has nothing that a schema describes. Faults of the envelope belong to other rules.
 */
function faultsOf(frame: JudgedFrame, connection: Connection): readonly SchemaFault[] | undefined {
  const stable = faultsIn(frame, connection, false);
  if (stable === undefined || stable.length === 0) return stable;
  const unstable = faultsIn(frame, connection, true);
  return unstable === undefined || unstable.length > 0 ? stable : [];
}

function faultsIn(
  { from, message }: JudgedFrame,
  connection: Connection,
  isUnstable: boolean,
): readonly SchemaFault[] | undefined {
  const protocol = connection.version;
  switch (message.kind) {
    case "request":
    case "notification": {
      const { method, params } = message;
      if (method.startsWith("_") || !methodsOf(protocol).has(method)) return undefined;
      const isRequest = message.kind === "request";
      return paramsFaults(method, params, { from, isRequest, protocol, isUnstable });
    }
    case "result": {
      const method = connection.answered?.method;
      if (method === undefined || method.startsWith("_")) return undefined;
      if (message.result === null && NULL_RESULTS.has(method)) return [];
      return resultFaults(method, message.result, protocol, isUnstable);
    }
    case "error":
      return validatorOf(schemaName(protocol, isUnstable)).faults("Error", message.error);
    case "none":
      return undefined;
  }
}

const agentFrames = rule(
  "agent",
  ["ACP-SCHEMA-001", "ACP-SCHEMA-002"],
  ({ connection }) =>
    (frame, judge) => {
      // The form of errors is judged by ACP-JSONRPC-002.
      if (frame.from !== "agent" || frame.message.kind === "error") return;
      const faults = faultsOf(frame, connection);
      if (faults === undefined) return;
      const frames = connection.answered ? [connection.answered.n, frame.n] : [frame.n];
      const invalid = faults.find(
        ({ kind, path }) => kind === "invalid" && !path.endsWith("/_meta"),
      );
      judge("ACP-SCHEMA-001", invalid && describeFault(invalid), frames);
      const [member] = unknownMembers(frame.value);
      const undeclared = faults.find(({ kind }) => kind === "undeclared")?.path ?? member;
      judge(
        "ACP-SCHEMA-002",
        undeclared !== undefined && `the undeclared field ${undeclared}`,
        frames,
      );
    },
);

function describeFault({ path, message }: SchemaFault): string {
  return `${path || "the value"} ${message}`;
}

/** Fields whose values are not the protocol's. */
const FOREIGN = new Set(["rawInput", "rawOutput", "data", "_meta"]);

/** Every `_meta` in a value. */
function metaIn(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value.flatMap(metaIn);
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([key, part]) => {
    if (key === "_meta") return [part];
    return FOREIGN.has(key) ? [] : metaIn(part);
  });
}

function meta(id: string): Rule {
  return rule("agent", [id], () => ({ from, line, value }, judge) => {
    if (from !== "agent" || !line.includes('"_meta"')) return;
    const found = metaIn(value);
    const bad = found.findIndex((one) => one !== null && !isJsonObject(one));
    if (found.length > 0) judge(id, bad >= 0 && `_meta is ${shortJson(found[bad])}`);
  });
}

const clientFrames = rule("client", ["DRC-FRAME-01"], ({ connection }) => (frame, judge) => {
  if (frame.from === "client")
    judge("DRC-FRAME-01", envelopeProblem(frame) ?? schemaProblem(frame, connection));
});

function envelopeProblem(frame: JudgedFrame): string | undefined {
  if (frame.isNotUtf8) return "bytes that are not UTF-8";
  const [member] = unknownMembers(frame.value);
  return (
    messageProblem(frame) ??
    (member === undefined ? undefined : `the field ${member} at the root of a message`)
  );
}

function schemaProblem(frame: JudgedFrame, connection: Connection): string | undefined {
  const [fault] = faultsOf(frame, connection) ?? [];
  return fault && `a message of the client: ${describeFault(fault)}`;
}

/** The rules of a version; the requirement about `_meta` has an id in each. */
export function messageRules(metaId: string): readonly Rule[] {
  return [lines, responses, methods, secrets, agentFrames, meta(metaId), clientFrames];
}

/** The members of a message that JSON-RPC does not have. */
export function unknownMembers(value: unknown): readonly string[] {
  return Object.keys(asObject(value)).filter((key) => !MESSAGE_MEMBERS.has(key));
}

/** Why a line is not a message; undefined if it is one. */
export function messageProblem({ message, skipped, value }: WireLine): string | undefined {
  if (message.kind === "none") return `a line that ${message.problem}`;
  if (skipped !== "") return "a line that has other text before the message";
  const isJsonRpc = isJsonObject(value) && value["jsonrpc"] === "2.0";
  return isJsonRpc ? undefined : 'a line that has no "jsonrpc": "2.0"';
}
