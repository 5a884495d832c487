import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { ConnectionJudge } from "../../../src/conformance/index.ts";
import { isJsonObject } from "../../../src/wire/index.ts";

const folder = new URL("../../transcripts/agents/", import.meta.url);

/** The requirements that an agent broke in its recorded connections. */
function brokenBy(agent: string): readonly string[] {
  const files = readdirSync(folder).filter((name) => name.startsWith(`${agent}.`));
  const ids = files.flatMap((name) => {
    const judge = new ConnectionJudge({ protocol: 1 });
    const lines = readFileSync(new URL(name, folder), "utf8").split("\n").filter(Boolean);
    lines.forEach((line, index) => {
      const entry: unknown = JSON.parse(line);
      if (!isJsonObject(entry) || !isJsonObject(entry["msg"])) return;
      judge.saw({
        n: index + 1,
        time: Number(entry["t"]),
        from: entry["dir"] === "c2a" ? "client" : "agent",
        line: JSON.stringify(entry["msg"]),
      });
    });
    return judge.violations.map(({ id }) => id);
  });
  return [...new Set(ids)].toSorted();
}

describe("passive judges find the defects of recorded agents", () => {
  it.each([
    ["claude", ["ACP-SCHEMA-002"]],
    ["claude-zed", ["ACP-SCHEMA-002", "DRA-TOOL-02", "DRA-TOOL-07"]],
    ["gemini", ["ACP-SCHEMA-002", "DRA-ERR-01", "DRA-TOOL-02"]],
    ["kimi", []],
    ["opencode", []],
    ["qwen", ["ACP-SCHEMA-002", "DRA-CMD-01", "DRA-TOOL-02", "DRA-TOOL-07"]],
  ])("%s", (agent, ids) => {
    expect(brokenBy(agent)).toEqual(ids);
  });
});

describe("a judge", () => {
  const frame = (n: number, from: "agent" | "client", value: unknown) => ({
    n,
    time: n,
    from,
    line: typeof value === "string" ? value : JSON.stringify(value),
  });

  it("names the deciding frames", () => {
    const judge = new ConnectionJudge({ protocol: 1 });
    judge.saw(frame(1, "client", { jsonrpc: "2.0", id: 1, method: "_x", params: {} }));
    judge.saw(frame(2, "agent", { jsonrpc: "2.0", id: 1, result: {} }));
    const found = judge.saw(frame(3, "agent", { jsonrpc: "2.0", id: 1, result: {} }));
    expect(found).toMatchObject([{ id: "DRA-RPC-01", side: "agent", frames: [1, 2, 3] }]);
  });
  it("keeps the directions apart", () => {
    const judge = new ConnectionJudge({ protocol: 1 });
    judge.saw(frame(1, "agent", { jsonrpc: "2.0", id: 1, method: "_x", params: {} }));
    expect(judge.saw(frame(2, "agent", { jsonrpc: "2.0", id: 1, result: {} }))).toMatchObject([
      { id: "DRA-RPC-01" },
    ]);
  });
  it("reports the side that broke the rule", () => {
    const judge = new ConnectionJudge({ protocol: 1 });
    const found = judge.saw(frame(1, "client", { jsonrpc: "2.0", id: 1, method: "session/new" }));
    expect(found).toMatchObject([{ id: "DRC-FRAME-01", side: "client", frames: [1] }]);
  });
  it.each([
    ["again after its release, by the call that showed it", "call", []],
    ["for the first time after its release", "other", ["DRA-TOOL-09"]],
  ])("takes a terminal that is shown %s", (_, secondCall, ids) => {
    const judge = new ConnectionJudge({ protocol: 1 });
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
    judge.saw(frame(1, "agent", request(1, "terminal/create", { command: "true" })));
    judge.saw(frame(2, "client", { jsonrpc: "2.0", id: 1, result: { terminalId: "t" } }));
    judge.saw(frame(3, "agent", show("call")));
    judge.saw(frame(4, "agent", request(2, "terminal/release", { terminalId: "t" })));
    const found = judge.saw(frame(5, "agent", show(secondCall)));
    expect(found.map(({ id }) => id).filter((id) => id === "DRA-TOOL-09")).toEqual(ids);
  });
  it("judges nothing that it has not seen", () => {
    const judge = new ConnectionJudge({ protocol: 1 });
    judge.saw(frame(1, "agent", "not JSON"));
    expect([...judge.judged.keys()].toSorted()).toEqual(["ACP-TRANSPORT-001", "ACP-TRANSPORT-002"]);
  });
});
