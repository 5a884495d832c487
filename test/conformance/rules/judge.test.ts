import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { judgedIds, requirementsById } from "../../../src/conformance/index.ts";
import { isJsonObject } from "../../../src/base/index.ts";
import { JudgedLines } from "../connection.ts";

const folder = new URL("../../transcripts/agents/", import.meta.url);

/** The requirements that an agent broke in its recorded connections. */
function brokenBy(agent: string): readonly string[] {
  const files = readdirSync(folder).filter((name) => name.startsWith(`${agent}.`));
  const ids = files.flatMap((name) => {
    const connection = new JudgedLines();
    const lines = readFileSync(new URL(name, folder), "utf8").split("\n").filter(Boolean);
    for (const line of lines) {
      const entry: unknown = JSON.parse(line);
      if (!isJsonObject(entry) || !isJsonObject(entry["msg"])) continue;
      connection.saw(entry["dir"] === "c2a" ? "client" : "agent", entry["msg"]);
    }
    return connection.broken;
  });
  return [...new Set(ids)].toSorted();
}

describe("judges find the defects of recorded agents", () => {
  it.each([
    ["claude", ["ACP-SCHEMA-002", "DRA-TOOL-05"]],
    ["claude-zed", ["ACP-SCHEMA-002", "DRA-TOOL-02", "DRA-TOOL-05", "DRA-TOOL-07"]],
    ["gemini", ["ACP-LOAD-002", "ACP-SCHEMA-002", "DRA-ERR-01", "DRA-TOOL-02", "DRA-TOOL-05"]],
    ["kimi", []],
    ["opencode", []],
    ["qwen", ["ACP-SCHEMA-002", "DRA-CMD-01", "DRA-TOOL-02", "DRA-TOOL-05", "DRA-TOOL-07"]],
  ])("%s", (agent, ids) => {
    expect(brokenBy(agent)).toEqual(ids);
  });
});

it.each([1, 2] as const)("judges judge only requirements of their version: %i", (protocol) => {
  const known = requirementsById(protocol);
  expect([...judgedIds(protocol)].filter((id) => !known.has(id))).toEqual([]);
});

describe("a judge", () => {
  it("names the deciding frames", () => {
    const connection = new JudgedLines();
    connection.saw("client", { jsonrpc: "2.0", id: 1, method: "_x", params: {} });
    connection.saw("agent", { jsonrpc: "2.0", id: 1, result: {} });
    const found = connection.saw("agent", { jsonrpc: "2.0", id: 1, result: {} });
    expect(found).toMatchObject([{ id: "DRA-RPC-01", side: "agent", frames: [1, 2, 3] }]);
  });
  it("keeps the directions apart", () => {
    const connection = new JudgedLines();
    connection.saw("agent", { jsonrpc: "2.0", id: 1, method: "_x", params: {} });
    expect(connection.saw("agent", { jsonrpc: "2.0", id: 1, result: {} })).toMatchObject([
      { id: "DRA-RPC-01" },
    ]);
  });
  it("reports the side that broke the rule", () => {
    const connection = new JudgedLines();
    const found = connection.saw("client", { jsonrpc: "2.0", id: 1, method: "session/new" });
    expect(found).toMatchObject([{ id: "DRC-FRAME-01", side: "client", frames: [1] }]);
  });
  it.each([
    ["again after its release, by the call that showed it", "call", []],
    ["for the first time after its release", "other", ["DRA-TOOL-09"]],
  ])("takes a terminal that is shown %s", (_, secondCall, ids) => {
    const connection = new JudgedLines();
    const content = [{ type: "terminal", terminalId: "t" }];
    const show = (toolCallId: string) => ({
      jsonrpc: "2.0",
      method: "session/update",
      params: {
        sessionId: "s",
        update: { sessionUpdate: "tool_call_update", toolCallId, content },
      },
    });
    const request = (id: number, method: string, params: object) => ({
      jsonrpc: "2.0",
      id,
      method,
      params: { sessionId: "s", ...params },
    });
    connection.saw("agent", request(1, "terminal/create", { command: "true" }));
    connection.saw("client", { jsonrpc: "2.0", id: 1, result: { terminalId: "t" } });
    connection.saw("agent", show("call"));
    connection.saw("agent", request(2, "terminal/release", { terminalId: "t" }));
    const found = connection.saw("agent", show(secondCall));
    expect(found.map(({ id }) => id).filter((id) => id === "DRA-TOOL-09")).toEqual(ids);
  });
  it("judges nothing that it has not seen", () => {
    const connection = new JudgedLines();
    connection.saw("agent", "not JSON");
    expect([...connection.judge.judged.keys()].toSorted()).toEqual([
      "ACP-TRANSPORT-001",
      "ACP-TRANSPORT-002",
    ]);
  });
});
