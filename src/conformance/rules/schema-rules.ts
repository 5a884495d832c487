import { isJsonObject } from "../../base/index.ts";
import type { CheckedSide } from "../requirement.ts";
import { methodsOf } from "../schema/methods.ts";
import { paramsFaults, resultFaults, schemaName, validatorOf } from "../schema/schema.ts";
import type { SchemaFault } from "../schema/validator.ts";
import type { Connection, JudgedFrame } from "./connection.ts";
import { lineProblem, shortJson, unknownMembers } from "./parts.ts";
import type { Rule } from "./rule.ts";

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

function isMeta({ path }: SchemaFault): boolean {
  return path.endsWith("/_meta");
}

const agentFrames: Rule = {
  ids: ["ACP-SCHEMA-001", "ACP-SCHEMA-002"],
  side: "agent",
  watch:
    ({ connection }) =>
    (frame, report) => {
      // The form of errors is judged by ACP-JSONRPC-002.
      if (frame.from !== "agent" || frame.message.kind === "error") return;
      const faults = faultsOf(frame, connection);
      if (faults === undefined) return;
      const frames = connection.answered ? [connection.answered.n, frame.n] : [frame.n];
      const invalid = faults.find((fault) => fault.kind === "invalid" && !isMeta(fault));
      if (invalid) {
        report.broken("ACP-SCHEMA-001", {
          expected: "a valid message",
          actual: `${invalid.path || "the value"} ${invalid.message}`,
          frames,
        });
      } else report.kept("ACP-SCHEMA-001");
      const [member] = unknownMembers(frame.value);
      const undeclared = faults.find((fault) => fault.kind === "undeclared")?.path ?? member;
      if (undeclared !== undefined) {
        report.broken("ACP-SCHEMA-002", {
          expected: "only fields of the schema, with custom data in _meta",
          actual: `the field ${undeclared}`,
          frames,
        });
      } else report.kept("ACP-SCHEMA-002");
    },
};

/** Fields whose values are not the protocol's. */
const FOREIGN = new Set(["rawInput", "rawOutput", "data", "_meta"]);

/** The first `_meta` that is neither an object nor null. `count`: how many there are. */
function metaIn(value: unknown, found: { count: number; bad: unknown[] }): void {
  if (Array.isArray(value)) for (const item of value) metaIn(item, found);
  if (!isJsonObject(value)) return;
  for (const [key, part] of Object.entries(value)) {
    if (key === "_meta") {
      found.count++;
      if (part !== null && !isJsonObject(part)) found.bad.push(part);
    } else if (!FOREIGN.has(key)) metaIn(part, found);
  }
}

function metaRule(id: string): Rule {
  return {
    ids: [id],
    side: "agent",
    watch: () => (frame, report) => {
      if (frame.from !== "agent" || !frame.line.includes('"_meta"')) return;
      const found: { count: number; bad: unknown[] } = { count: 0, bad: [] };
      metaIn(frame.value, found);
      if (found.bad.length > 0) {
        report.broken(id, {
          expected: "an object or null in _meta",
          actual: `_meta is ${shortJson(found.bad[0])}`,
        });
      } else if (found.count > 0) report.kept(id);
    },
  };
}

const clientFrames: Rule = {
  ids: ["DRC-FRAME-01"],
  side: "client",
  watch:
    ({ connection }) =>
    (frame, report) => {
      if (frame.from !== "client") return;
      const problem = envelopeProblem(frame) ?? schemaProblem(frame, connection);
      if (problem === undefined) report.kept("DRC-FRAME-01");
      else {
        report.broken("DRC-FRAME-01", {
          expected: "a valid message in UTF-8, without undeclared fields",
          actual: problem,
        });
      }
    },
};

function envelopeProblem(frame: JudgedFrame): string | undefined {
  if (frame.isNotUtf8) return "bytes that are not UTF-8";
  const problem = lineProblem(frame);
  if (problem !== undefined) return `a line that ${problem}`;
  const [member] = unknownMembers(frame.value);
  return member === undefined ? undefined : `the field ${member} at the root of a message`;
}

function schemaProblem(frame: JudgedFrame, connection: Connection): string | undefined {
  const [fault] = faultsOf(frame, connection) ?? [];
  return fault && `${describeSide(frame.from)}: ${fault.path || "the value"} ${fault.message}`;
}

function describeSide(side: CheckedSide): string {
  return `a message of the ${side}`;
}

/** Rules about the schema of version 1; `metaId` differs between the versions. */
export function schemaRules(metaId: string): readonly Rule[] {
  return [agentFrames, metaRule(metaId), clientFrames];
}
